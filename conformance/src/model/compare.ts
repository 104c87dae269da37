import { isHoldfastError, type Message, type Scope } from '@holdfast/core'
import { expect } from 'vitest'
import { collect } from '../tools/content.js'
import type { NaiveMessage, NaiveModel, NaiveSession } from './naive.js'

/** Expects the backend to read exactly as the model says. */
export async function compare(scope: Scope, model: NaiveModel): Promise<void> {
  await Promise.all([
    compareList(scope, model),
    ...model.sessions.map((session) => compareSession(scope, session)),
    ...[...new Set(model.messageIds)].map((id) => compareMessage(scope, model, id)),
    compareTags(scope, model),
  ])
}

async function compareList(scope: Scope, model: NaiveModel): Promise<void> {
  const expected = model.sessions.toSorted(
    (left, right) =>
      right.lastActivityAt - left.lastActivityAt || Buffer.compare(Buffer.from(right.id), Buffer.from(left.id)),
  )
  const { items } = await scope.sessions.list({ archived: 'any', limit: 1000 })
  for (const session of items) expect(await scope.sessions.get(session.id)).toEqual(session)
  const actual = items.map((session) => ({
    id: session.id,
    parent: session.lineage?.session ?? null,
    title: session.title,
    metadata: session.metadata,
    status: session.status,
    archived: session.archivedAt !== null,
    version: session.version,
    spent: session.usage.input,
    lastActivityAt: session.lastActivityAt,
    activeBranch: session.activeBranch,
    messageCount: session.messageCount,
  }))
  expect(actual).toEqual(
    expected.map(({ id, parent, title, metadata, status, archived, version, spent, lastActivityAt, active }) => ({
      id,
      parent,
      title,
      metadata,
      status,
      archived,
      version,
      spent,
      lastActivityAt,
      activeBranch: active.id,
      messageCount: active.path.length,
    })),
  )
  expect(await scope.sessions.count()).toBe(model.sessions.filter(({ archived }) => !archived).length)
}

async function compareSession(scope: Scope, session: NaiveSession): Promise<void> {
  const branches = await scope.branches.list(session.id)
  expect(branches.map(({ id, base, head, active, replaces }) => ({ id, base, head, active, replaces }))).toEqual(
    session.branches.map((branch) => ({
      id: branch.id,
      base: branch.base,
      head: branch.path.length,
      active: branch === session.active,
      replaces: branch.replaces,
    })),
  )
  for (const branch of session.branches) {
    const path = await collect(scope.messages.iterate(session.id, { branch: branch.id }))
    expect(path.map(asSeen)).toEqual(branch.path.map(asModelled))
  }
  const page = await scope.messages.list(session.id, { limit: 3 })
  expect(page.items.map(({ id }) => id)).toEqual(session.active.path.slice(-3).map(({ id }) => id))
  expect(await scope.tags.of(session.id)).toEqual(session.tags)
  expect(await scope.folders.of(session.id)).toEqual(session.folders)
  const history = await scope.sessions.statusHistory(session.id)
  expect(history.map(({ from, to, override }) => ({ from, to, override }))).toEqual(session.changes)
  await compareJournal(scope, session)
}

async function compareJournal(scope: Scope, session: NaiveSession): Promise<void> {
  const journal = await scope.events.list(session.id, { limit: 1000 })
  expect(journal.map(({ seq }) => seq)).toEqual(journal.map((_, index) => index + 1))
  const notes = journal.filter(({ type }) => type === 'note')
  expect(notes.map(({ payload }) => JSON.stringify(payload))).toEqual(session.events.map(({ said }) => said))
  const appended = journal.filter(({ type }) => type === 'message').map(({ message }) => message)
  const owned = session.branches.flatMap(({ id, path }) => path.filter((message) => message.branch === id))
  expect(appended.toSorted()).toEqual(owned.map(({ id }) => id).toSorted())
}

async function compareMessage(scope: Scope, model: NaiveModel, id: string): Promise<void> {
  const expected = model.message(id)
  const actual = await scope.messages.get(id).catch((error: unknown) => {
    if (isHoldfastError(error, 'not_found')) return undefined
    throw error
  })
  expect(actual && asSeen(actual)).toEqual(expected && asModelled(expected))
}

async function compareTags(scope: Scope, model: NaiveModel): Promise<void> {
  const used = model.sessions.filter(({ archived }) => !archived).flatMap(({ tags }) => tags)
  const { items } = await scope.tags.list({ limit: 1000 })
  expect(items.filter(({ sessions }) => sessions > 0)).toEqual(
    [...new Set(used)].sort().map((tag) => ({ tag, sessions: used.filter((own) => own === tag).length })),
  )
}

function asSeen({ id, session, branch, position, role, status, parts }: Message) {
  return { id, session, branch, position, role, status, parts: JSON.stringify(parts) }
}

function asModelled({ id, owner, branch, position, role, status, parts }: NaiveMessage) {
  return { id, session: owner.id, branch, position, role, status, parts: JSON.stringify(parts) }
}
