import type { SessionInput } from '@holdfast/core'
import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { collect, conversation, nth, numbered, path, say, says, textOf } from '../tools/content.js'
import { refused } from '../tools/refusals.js'
import { rowsAdded } from '../tools/rows.js'
import { noUsage } from '../tools/usage.js'

export const forks = group('forks', {
  "a fork shows the source's messages up to the one it was made at": async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two', 'three')
    const fork = await scope.sessions.fork(session.id, { at: nth(messages, 1).id })
    expect(fork.messageCount).toBe(2)
    const shown = await collect(scope.messages.iterate(fork.id))
    expect(shown).toStrictEqual(messages.slice(0, 2))
    expect(await scope.sessions.get(fork.id)).toStrictEqual(fork)
  },

  'a fork at null shows nothing, and one at nothing shows all': async ({ scope }) => {
    const { session } = await conversation(scope, 'one', 'two')
    const none = await scope.sessions.fork(session.id, { at: null })
    const all = await scope.sessions.fork(session.id)
    expect(await path(scope, none)).toEqual([])
    expect(await path(scope, all)).toEqual(['one', 'two'])
  },

  'a fork and its source go on without each other': async ({ scope }) => {
    const { session } = await conversation(scope, 'one')
    const fork = await scope.sessions.fork(session.id)
    await say(scope, session, 'two here')
    await say(scope, fork, 'two there', 'three there')
    expect(await path(scope, session)).toEqual(['one', 'two here'])
    expect(await path(scope, fork)).toEqual(['one', 'two there', 'three there'])
    const page = await scope.messages.list(fork.id)
    expect(page.items.map(({ position }) => position)).toEqual([1, 2, 3])
    expect(page.items.map(({ session: owner }) => owner)).toEqual([session.id, fork.id, fork.id])
  },

  'a fork writes the same number of rows whatever its length': async ({ store, scope }) => {
    const short = await conversation(scope, 'one')
    const long = await scope.sessions.create()
    await scope.messages.appendAll(
      long.id,
      numbered(200).map((text) => says(text)),
    )
    const rows = await rowsAdded(store, () => scope.sessions.fork(short.session.id))
    expect(await rowsAdded(store, () => scope.sessions.fork(long.id))).toBe(rows)
  },

  'a fork inherits what describes the session, with tags and folders': async ({ scope }) => {
    const described = {
      agent: 'planner',
      title: 'Trip',
      kind: 'daily',
      source: 'desktop',
      type: 'group',
      interactive: false,
      participants: [{ userId: 'u', role: 'owner' }],
      mode: 'plan',
      model: { provider: 'maker', id: 'large' },
      workingDirectory: '/w',
      root: '/',
      permissions: [{ permission: 'edit', pattern: '*', action: 'allow' }],
      provenance: { playbook: 'p', invocationKind: 'i', topic: 't', step: 's', artifactsPath: '/a' },
      summary: 'so far',
      workingMemory: 'remembered',
      metadata: { a: 1 },
    } satisfies SessionInput
    const session = await scope.sessions.create({ ...described, tags: ['t1', 't2'], folders: ['f/g'] })
    const fork = await scope.sessions.fork(session.id)
    expect(fork).toMatchObject(described)
    expect(await scope.sessions.get(fork.id)).toStrictEqual(fork)
    expect(await scope.tags.of(fork.id)).toEqual(['t1', 't2'])
    expect(await scope.folders.of(fork.id)).toEqual(['f/g'])
    expect(await scope.sessions.count({ participant: 'u' })).toBe(2)
    expect(await scope.sessions.count({ tag: 't1', folder: 'f/g', title: 'trip' })).toBe(2)
  },

  'a fork is found by its own title, and not by that of its source': async ({ scope }) => {
    const session = await scope.sessions.create({ title: 'Secret plan' })
    const untitled = await scope.sessions.fork(session.id, { title: null })
    const renamed = await scope.sessions.fork(session.id, { title: 'Other' })
    const same = await scope.sessions.fork(session.id)
    expect(untitled.title).toBeNull()
    const found = async (title: string) => (await scope.sessions.list({ title })).items.map(({ id }) => id).toSorted()
    expect(await found('secret')).toEqual([session.id, same.id].toSorted())
    expect(await found('other')).toEqual([renamed.id])
  },

  'a fork inherits no external reference, usage, status, archive, events or times': async ({ scope, clock }) => {
    const session = await scope.sessions.create({ externalRef: 'x', usage: { input: 5 }, createdAt: 1, startedAt: 2 })
    await scope.events.add(session.id, { type: 'signal' })
    await scope.sessions.setStatus(session.id, { from: 'idle', to: 'failed', reason: 'broken' })
    await scope.sessions.update(session.id, { title: 'once' })
    await scope.sessions.archive(session.id)
    clock.advance(100)
    const fork = await scope.sessions.fork(session.id)
    expect(fork).toMatchObject({
      externalRef: null,
      usage: noUsage,
      status: 'idle',
      statusReason: null,
      archivedAt: null,
      createdAt: clock(),
      updatedAt: clock(),
      lastActivityAt: clock(),
      startedAt: null,
      endedAt: null,
      version: 1,
    })
    expect(await scope.sessions.get(fork.id)).toStrictEqual(fork)
    expect(await scope.events.latest(fork.id, 'signal')).toBeNull()
    expect(await scope.sessions.statusHistory(fork.id)).toEqual([])
  },

  'a fork may be described anew': async ({ scope }) => {
    const session = await scope.sessions.create({ title: 'before', agent: 'a', metadata: { kept: 1, gone: 2 } })
    const fork = await scope.sessions.fork(session.id, {
      id: 'mine',
      title: 'after',
      agent: null,
      metadata: { gone: null, added: 3 },
      createdBy: 'user-1',
    })
    expect(fork).toMatchObject({ id: 'mine', title: 'after', agent: null, createdBy: 'user-1' })
    expect(fork.metadata).toStrictEqual({ kept: 1, added: 3 })
    expect((await scope.sessions.get(session.id)).metadata).toStrictEqual({ kept: 1, gone: 2 })
  },

  'a fork knows where it came from': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    const fork = await scope.sessions.fork(session.id, { at: nth(messages, 0).id })
    expect(fork.lineage).toStrictEqual({ relation: 'fork', session: session.id, message: nth(messages, 0).id })
  },

  'a fork may be made from a branch that is not active': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    await scope.branches.rewind(session.id, { at: nth(messages, 0).id })
    const fork = await scope.sessions.fork(session.id, { branch: session.activeBranch })
    expect(await path(scope, fork)).toEqual(['one', 'two'])
  },

  'a fork is made only at a message that its source shows': async ({ scope }) => {
    const { session } = await conversation(scope, 'one')
    const stranger = await conversation(scope, 'elsewhere')
    await refused('not_found', scope.sessions.fork(session.id, { at: nth(stranger.messages, 0).id }))
    await refused('not_found', scope.sessions.fork(session.id, { branch: stranger.session.activeBranch }))
    await refused('not_found', scope.sessions.fork('never'))
    expect(await scope.sessions.count()).toBe(2)
  },

  'a fork is made only at a message that the named branch shows': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    const branch = await scope.branches.create(session.id, { at: nth(messages, 0).id })
    await refused('not_found', scope.sessions.fork(session.id, { branch: branch.id, at: nth(messages, 1).id }))
    const fork = await scope.sessions.fork(session.id, { branch: branch.id, at: nth(messages, 0).id })
    expect(await path(scope, fork)).toEqual(['one'])
  },

  'a chain of fifty forks reads as one path': async ({ scope }) => {
    const { session } = await conversation(scope, 'session 0')
    let last = session
    for (let depth = 1; depth <= 50; depth++) {
      last = await scope.sessions.fork(last.id)
      await say(scope, last, `session ${depth}`)
    }
    expect(await path(scope, last)).toEqual(Array.from({ length: 51 }, (_, depth) => `session ${depth}`))
    const page = await scope.messages.list(last.id, { limit: 3 })
    expect(page.items.map(textOf)).toEqual(['session 48', 'session 49', 'session 50'])
    expect((await scope.sessions.get(last.id)).messageCount).toBe(51)
  },

  'a fork of a fork may end inside the first source': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two', 'three')
    const fork = await scope.sessions.fork(session.id)
    await say(scope, fork, 'four')
    const second = await scope.sessions.fork(fork.id, { at: nth(messages, 0).id })
    await say(scope, second, 'other two')
    expect(await path(scope, second)).toEqual(['one', 'other two'])
    expect(await path(scope, fork)).toEqual(['one', 'two', 'three', 'four'])
  },

  'whatever depth a message comes from, a fork can go back to it': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'session 0')
    const chain = [session]
    const all = [...messages]
    for (let depth = 1; depth <= 4; depth++) {
      const next = await scope.sessions.fork(nth(chain, -1).id)
      all.push(...(await say(scope, next, `session ${depth}`)))
      chain.push(next)
    }
    const last = nth(chain, -1)
    for (const [depth, message] of all.entries()) {
      const kept = Array.from({ length: depth + 1 }, (_, index) => `session ${index}`)
      expect(await path(scope, await scope.sessions.fork(last.id, { at: message.id }))).toEqual(kept)
      await scope.branches.rewind(last.id, { at: message.id })
      expect(await path(scope, last)).toEqual(kept)
      await scope.branches.undo(last.id)
      await scope.branches.edit(last.id, message.id, says('better'))
      expect(await path(scope, last)).toEqual([...kept.slice(0, -1), 'better'])
      expect(await scope.branches.siblings(last.id, message.id)).toHaveLength(2)
      await scope.branches.undo(last.id)
    }
  },

  'a fork can rewind, edit and regenerate what it shows of its source': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two', 'three')
    const fork = await scope.sessions.fork(session.id)
    await scope.branches.edit(fork.id, nth(messages, 1).id, says('better two'))
    expect(await path(scope, fork)).toEqual(['one', 'better two'])
    const siblings = await scope.branches.siblings(fork.id, nth(messages, 1).id)
    expect(siblings.map(({ active }) => active)).toEqual([false, true])
    await scope.branches.undo(fork.id)
    await scope.branches.regenerate(fork.id, nth(messages, 2).id)
    expect(await path(scope, fork)).toEqual(['one', 'two'])
    await scope.branches.rewind(fork.id, { at: nth(messages, 0).id })
    expect(await path(scope, fork)).toEqual(['one'])
    expect(await path(scope, session)).toEqual(['one', 'two', 'three'])
    expect(await scope.branches.list(session.id)).toHaveLength(1)
  },
})
