import { type Scope, type Session, type SessionFilter, type SessionInput, sessionStatuses } from '@holdfast/core'
import { expect } from 'vitest'
import { type Behaviour, group } from '../behaviour.js'
import { nth } from '../tools/content.js'
import { refused } from '../tools/refusals.js'

/** One session that a filter must find, and others that look like it and must not be found. */
interface Example {
  readonly filter: SessionFilter
  readonly found: SessionInput
  readonly others: readonly SessionInput[]
}

const plain: Readonly<Record<string, Example>> = {
  agent: { filter: { agent: 'a' }, found: { agent: 'a' }, others: [{}, { agent: 'b' }, { agent: 'A' }] },
  kind: { filter: { kind: 'daily' }, found: { kind: 'daily' }, others: [{}, { kind: 'build' }] },
  source: { filter: { source: 'web' }, found: { source: 'web' }, others: [{}, { source: 'web2' }] },
  type: { filter: { type: 'group' }, found: { type: 'group' }, others: [{}] },
  creator: { filter: { createdBy: 'u' }, found: { createdBy: 'u' }, others: [{}, { createdBy: 'v' }] },
  tag: { filter: { tag: ' Blue ' }, found: { tags: ['green', 'BLUE'] }, others: [{}, { tags: ['blues'] }] },
  folder: {
    filter: { folder: 'a/b' },
    found: { folders: ['x', 'a/b'] },
    others: [{}, { folders: ['a'] }, { folders: ['a/b/c'] }, { folders: ['a/bc'] }],
  },
  participant: {
    filter: { participant: 'u' },
    found: { participants: [{ userId: 'v' }, { userId: 'u', role: 'owner' }] },
    others: [{}, { participants: [{ userId: 'v', role: 'u' }] }],
  },
  'parent session': {
    filter: { parent: 'p' },
    found: { lineage: { relation: 'spawn', session: 'p' } },
    others: [{}, { lineage: { relation: 'spawn', session: 'q', message: 'p' } }],
  },
  'working directory': {
    filter: { workingDirectory: '/a' },
    found: { workingDirectory: '/a' },
    others: [{}, { workingDirectory: '/a/b' }, { root: '/a' }],
  },
  root: { filter: { root: '/a' }, found: { root: '/a' }, others: [{}, { root: '/' }, { workingDirectory: '/a' }] },
  'external reference': {
    filter: { externalRef: 'x' },
    found: { externalRef: 'x' },
    others: [{}, { externalRef: 'y' }],
  },
  playbook: {
    filter: { provenance: { playbook: 'p' } },
    found: { provenance: { playbook: 'p', topic: 't' } },
    others: [{}, { provenance: { topic: 'p' } }],
  },
  'invocation kind': {
    filter: { provenance: { invocationKind: 'p' } },
    found: { provenance: { invocationKind: 'p' } },
    others: [{}, { provenance: { playbook: 'p' } }],
  },
  topic: {
    filter: { provenance: { topic: 'p' } },
    found: { provenance: { topic: 'p' } },
    others: [{}, { provenance: { step: 'p' } }],
  },
  step: {
    filter: { provenance: { step: 'p' } },
    found: { provenance: { step: 'p' } },
    others: [{}, { provenance: { topic: 'p' } }],
  },
  'artifacts path': {
    filter: { provenance: { artifactsPath: '/p' } },
    found: { provenance: { artifactsPath: '/p' } },
    others: [{}, { provenance: { artifactsPath: '/p/q' } }],
  },
  'time of creation': {
    filter: { createdAfter: 10, createdBefore: 20 },
    found: { createdAt: 11 },
    others: [{ createdAt: 10 }, { createdAt: 20 }],
  },
  'time of the last activity': {
    filter: { activeAfter: 10, activeBefore: 20 },
    found: { createdAt: 1, lastActivityAt: 19 },
    others: [
      { createdAt: 15, lastActivityAt: 20 },
      { createdAt: 1, lastActivityAt: 10 },
    ],
  },
}

async function expectFound(scope: Scope, filter: SessionFilter, expected: readonly Session[]): Promise<void> {
  const found = (await scope.sessions.list(filter)).items.map(({ id }) => id).sort()
  expect(found).toEqual(expected.map(({ id }) => id).sort())
  expect(await scope.sessions.count(filter)).toBe(expected.length)
}

function findsBy({ filter, found, others }: Example): Behaviour['run'] {
  return async ({ scope }) => {
    const match = await scope.sessions.create(found)
    for (const other of others) await scope.sessions.create(other)
    await expectFound(scope, filter, [match])
  }
}

const oneByOne = Object.fromEntries(
  Object.entries(plain).map(([name, example]) => [`sessions are found and counted by ${name}`, findsBy(example)]),
)

export const sessionFilters = group('session filters', {
  ...oneByOne,

  'sessions are found by one status or by several': async ({ scope }) => {
    const idle = await scope.sessions.create()
    const running = await scope.sessions.create()
    const failed = await scope.sessions.create()
    await scope.sessions.setStatus(running.id, { from: 'idle', to: 'running' })
    await scope.sessions.setStatus(failed.id, { from: 'idle', to: 'failed' })
    await expectFound(scope, { status: 'running' }, [running])
    await expectFound(scope, { status: ['idle', 'failed'] }, [idle, failed])
    await expectFound(scope, { status: 'waiting' }, [])
    await expectFound(scope, { status: [...sessionStatuses] }, [idle, running, failed])
    await expectFound(scope, { status: ['failed', 'failed', 'idle', 'failed'] }, [idle, failed])
    const page = await scope.sessions.list({ status: ['idle', 'failed'], limit: 1 })
    const rest = await scope.sessions.list({ status: ['failed', 'idle', 'idle'], limit: 1, cursor: page.next ?? '' })
    expect(rest.items).toHaveLength(1)
  },

  'more statuses than there are, to find or to expect, are invalid': async ({ scope }) => {
    const { id } = await scope.sessions.create()
    const many = Array.from({ length: 40_000 }, () => 'idle' as const)
    await refused('invalid', scope.sessions.list({ status: many }))
    await refused('invalid', scope.sessions.count({ status: many }))
    await refused('invalid', scope.sessions.setStatus(id, { from: many, to: 'running' }))
  },

  'sessions are found in a folder with all that is below it': async ({ scope }) => {
    const inside = await scope.sessions.create({ folders: ['a/b'] })
    const below = await scope.sessions.create({ folders: ['a/b/c/d', 'a/b/e'] })
    await scope.sessions.create({ folders: ['a/bc', 'a', 'z/a/b'] })
    await expectFound(scope, { folder: 'a/b', descendants: true }, [inside, below])
    await expectFound(scope, { folder: 'a/b', descendants: false }, [inside])
  },

  'a wildcard in a folder stands for itself': async ({ scope }) => {
    const percent = await scope.sessions.create({ folders: ['a%/b'] })
    const underscore = await scope.sessions.create({ folders: ['a_/b'] })
    await scope.sessions.create({ folders: ['ab/b', 'a*/b'] })
    await expectFound(scope, { folder: 'a%', descendants: true }, [percent])
    await expectFound(scope, { folder: 'a_', descendants: true }, [underscore])
  },

  'a title is found by any part of it, without regard to case and accents': async ({ scope }) => {
    const session = await scope.sessions.create({ title: 'Die Ångström-Skala' })
    await scope.sessions.create({ title: 'Angst' })
    await scope.sessions.create()
    for (const title of ['Ångström', 'angstrom', 'ANGSTRÖM', 'm-sk', 'Die Ångström-Skala'])
      await expectFound(scope, { title }, [session])
    await expectFound(scope, { title: 'angstromskala' }, [])
  },

  'folding takes away accents and nothing else': async ({ scope }) => {
    const hangul = await scope.sessions.create({ title: '한국어 수업' })
    const kana = await scope.sessions.create({ title: 'ガス料金' })
    await expectFound(scope, { title: '한국' }, [hangul])
    await expectFound(scope, { title: 'ガス' }, [kana])
    await expectFound(scope, { title: 'カス' }, [])
  },

  'a title is found however its letters are written in capitals': async ({ scope }) => {
    const street = await scope.sessions.create({ title: 'Straße' })
    const road = await scope.sessions.create({ title: 'ΟΔΟΣΑΝ' })
    const city = await scope.sessions.create({ title: 'İstanbul' })
    for (const title of ['straße', 'STRASSE', 'STRAẞE', 'strasse']) await expectFound(scope, { title }, [street])
    for (const title of ['ΟΔΟΣ', 'οδος', 'οδοσ', 'οδοσαν']) await expectFound(scope, { title }, [road])
    for (const title of ['istanbul', 'ISTANBUL', 'İSTANBUL']) await expectFound(scope, { title }, [city])
  },

  'a title is found after it has changed, and not by what it was': async ({ scope }) => {
    const session = await scope.sessions.create({ title: 'before' })
    await scope.sessions.update(session.id, { title: 'after' })
    await expectFound(scope, { title: 'before' }, [])
    await expectFound(scope, { title: 'after' }, [session])
  },

  'a wildcard in a title filter stands for itself': async ({ scope }) => {
    const percent = await scope.sessions.create({ title: '100% sure' })
    const underscore = await scope.sessions.create({ title: 'snake_case' })
    const backslash = await scope.sessions.create({ title: 'back\\slash' })
    const quote = await scope.sessions.create({ title: "it's" })
    await expectFound(scope, { title: '%' }, [percent])
    await expectFound(scope, { title: '_' }, [underscore])
    await expectFound(scope, { title: '\\' }, [backslash])
    await expectFound(scope, { title: "'" }, [quote])
    await expectFound(scope, { title: '*' }, [])
  },

  'archived sessions are left out, unless they or both are asked for': async ({ scope }) => {
    const open = await scope.sessions.create()
    const archived = await scope.sessions.create()
    await scope.sessions.archive(archived.id)
    await expectFound(scope, {}, [open])
    await expectFound(scope, { archived: false }, [open])
    await expectFound(scope, { archived: true }, [archived])
    await expectFound(scope, { archived: 'any' }, [open, archived])
  },

  'filters together must all hold': async ({ scope }) => {
    const all = { agent: 'a', kind: 'daily', tags: ['t'], folders: ['f/g'], title: 'Trip', createdBy: 'u' }
    const match = await scope.sessions.create(all)
    await scope.sessions.create({ ...all, agent: 'b' })
    await scope.sessions.create({ ...all, kind: 'build' })
    await scope.sessions.create({ ...all, tags: [] })
    await scope.sessions.create({ ...all, folders: ['f'] })
    await scope.sessions.create({ ...all, title: 'Other' })
    await scope.sessions.create({ ...all, createdBy: 'v' })
    const filter = { agent: 'a', kind: 'daily', tag: 't', folder: 'f/g', title: 'trip', createdBy: 'u' }
    await expectFound(scope, filter, [match])
    await expectFound(scope, { ...filter, archived: true }, [])
    await scope.sessions.archive(match.id)
    await expectFound(scope, { ...filter, archived: true }, [match])
  },

  'a session with several tags, folders and participants is listed once': async ({ scope }) => {
    const session = await scope.sessions.create({
      tags: ['a', 'b'],
      folders: ['f/a', 'f/b'],
      participants: [{ userId: 'u' }, { userId: 'v' }],
    })
    await expectFound(scope, { tag: 'a', folder: 'f', descendants: true, participant: 'u' }, [session])
    await expectFound(scope, {}, [session])
  },

  'a fork is found by the session it came from': async ({ scope }) => {
    const session = await scope.sessions.create()
    const fork = await scope.sessions.fork(session.id)
    await expectFound(scope, { parent: session.id }, [fork])
  },

  'SQL in a filter is only a text that matches nothing': async ({ scope }) => {
    await scope.sessions.create({ agent: 'a', title: 't', tags: ['t'] })
    const hostile = "' OR 1=1; DROP TABLE sessions; --"
    for (const filter of [
      { agent: hostile },
      { title: hostile },
      { tag: hostile },
      { folder: hostile },
      { parent: hostile },
    ])
      await expectFound(scope, filter, [])
    const all = await scope.sessions.list()
    expect(nth(all.items, 0).agent).toBe('a')
  },
})
