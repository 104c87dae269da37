import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { conversation, nth, numbered, only, path, say, says } from '../tools/content.js'
import { refused } from '../tools/refusals.js'
import { rowsAdded } from '../tools/rows.js'

export const branches = group('branches', {
  'a new session has one branch, which is active and empty': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    const branch = only(await scope.branches.list(session.id))
    expect(branch).toStrictEqual({
      id: session.activeBranch,
      session: session.id,
      active: true,
      name: null,
      origin: 'root',
      parent: null,
      base: 0,
      head: 0,
      replaces: null,
      agentConfig: null,
      systemMessage: null,
      status: null,
      metadata: {},
      createdBy: null,
      createdAt: clock(),
      startedAt: null,
      endedAt: null,
      version: 1,
    })
    expect(await scope.branches.get(branch.id)).toStrictEqual(branch)
  },

  'a branch keeps every field it was created with': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    const given = {
      name: 'attempt',
      agentConfig: { temperature: 0.5, tools: ['a'] },
      systemMessage: nth(messages, 0).id,
      status: 'exploring',
      startedAt: 1,
      endedAt: 2,
      metadata: { z: 1, a: null },
      createdBy: 'user-1',
    }
    const branch = await scope.branches.create(session.id, { ...given, at: nth(messages, 0).id })
    expect(branch).toMatchObject({ ...given, origin: 'fork', active: false, base: 1, head: 1, version: 1 })
    expect(await scope.branches.get(branch.id)).toStrictEqual(branch)
  },

  'a branch shows the messages up to the one it was made at': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two', 'three')
    const branch = await scope.branches.create(session.id, { at: nth(messages, 1).id })
    expect(branch).toMatchObject({ parent: session.activeBranch, base: 2, head: 2 })
    expect(await path(scope, session, branch.id)).toEqual(['one', 'two'])
    expect(await path(scope, session)).toEqual(['one', 'two', 'three'])
  },

  'a branch made at null keeps nothing, and one made at nothing keeps all': async ({ scope }) => {
    const { session } = await conversation(scope, 'one', 'two')
    const none = await scope.branches.create(session.id, { at: null })
    const all = await scope.branches.create(session.id)
    expect(none).toMatchObject({ parent: null, base: 0, head: 0 })
    expect(await path(scope, session, none.id)).toEqual([])
    expect(await path(scope, session, all.id)).toEqual(['one', 'two'])
  },

  'a branch continues from the branch it names': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    const first = await scope.branches.create(session.id, { at: nth(messages, 0).id })
    await scope.messages.append(session.id, says('other two'), { branch: first.id })
    const second = await scope.branches.create(session.id, { from: first.id })
    expect(await path(scope, session, second.id)).toEqual(['one', 'other two'])
  },

  "a branch's own messages begin after the place it was made at": async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two', 'three')
    const branch = await scope.branches.create(session.id, { at: nth(messages, 0).id })
    const appended = await scope.messages.append(session.id, says('other two'), { branch: branch.id })
    expect(appended).toMatchObject({ branch: branch.id, position: 2 })
    expect(await path(scope, session, branch.id)).toEqual(['one', 'other two'])
    expect(await path(scope, session)).toEqual(['one', 'two', 'three'])
  },

  'what is appended to the parent later does not show on a branch': async ({ scope }) => {
    const { session } = await conversation(scope, 'one')
    const branch = await scope.branches.create(session.id)
    await say(scope, session, 'two')
    expect(await path(scope, session, branch.id)).toEqual(['one'])
  },

  'a branch becomes active only when it is asked to': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    const quiet = await scope.branches.create(session.id, { at: nth(messages, 0).id })
    expect((await scope.sessions.get(session.id)).activeBranch).toBe(session.activeBranch)
    const active = await scope.branches.create(session.id, { at: nth(messages, 0).id, activate: true })
    expect([quiet.active, active.active]).toEqual([false, true])
    expect(await scope.sessions.get(session.id)).toMatchObject({ activeBranch: active.id, messageCount: 1 })
    expect(await path(scope, session)).toEqual(['one'])
  },

  'activating a branch makes its path the visible one': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    const branch = await scope.branches.create(session.id, { at: nth(messages, 0).id })
    expect(await scope.branches.activate(branch.id)).toStrictEqual({ ...branch, active: true })
    expect(await scope.sessions.get(session.id)).toMatchObject({ activeBranch: branch.id, messageCount: 1 })
    await say(scope, session, 'other two')
    expect(await path(scope, session)).toEqual(['one', 'other two'])
    await scope.branches.activate(session.activeBranch)
    expect(await path(scope, session)).toEqual(['one', 'two'])
    expect((await scope.branches.list(session.id)).filter(({ active }) => active)).toHaveLength(1)
  },

  'branches are listed oldest first': async ({ scope }) => {
    const session = await scope.sessions.create()
    const ids = [session.activeBranch]
    for (const id of ['z', 'a', 'm']) ids.push((await scope.branches.create(session.id, { id })).id)
    expect((await scope.branches.list(session.id)).map(({ id }) => id)).toEqual(ids)
  },

  'a branch patch keeps what is undefined, clears what is null and merges metadata': async ({ scope }) => {
    const session = await scope.sessions.create()
    const branch = await scope.branches.create(session.id, { name: 'a', status: 's', metadata: { x: 1, y: { z: 1 } } })
    const patched = await scope.branches.update(branch.id, { name: null, metadata: { x: null, y: { w: 2 } } })
    expect(patched).toStrictEqual({ ...branch, name: null, metadata: { y: { w: 2 } }, version: 2 })
    expect(await scope.branches.get(branch.id)).toStrictEqual(patched)
  },

  'a branch patch under another version is conflict and writes nothing': async ({ scope }) => {
    const session = await scope.sessions.create()
    const patched = await scope.branches.update(session.activeBranch, { name: 'first' }, { ifVersion: 1 })
    await refused('conflict', scope.branches.update(session.activeBranch, { name: 'second' }, { ifVersion: 1 }))
    expect(await scope.branches.get(session.activeBranch)).toStrictEqual(patched)
  },

  'making a branch writes the same number of rows whatever its length': async ({ store, scope }) => {
    const short = await conversation(scope, 'one')
    const long = await scope.sessions.create()
    await scope.messages.appendAll(
      long.id,
      numbered(200).map((text) => says(text)),
    )
    const rows = await rowsAdded(store, () => scope.branches.create(short.session.id))
    expect(await rowsAdded(store, () => scope.branches.create(long.id))).toBe(rows)
  },

  'a branch is made only at a message that its session shows': async ({ scope }) => {
    const { session } = await conversation(scope, 'one')
    const stranger = await conversation(scope, 'elsewhere')
    await refused('not_found', scope.branches.create(session.id, { at: nth(stranger.messages, 0).id }))
    await refused('not_found', scope.branches.create(session.id, { from: stranger.session.activeBranch }))
    expect(await scope.branches.list(session.id)).toHaveLength(1)
  },

  'a chain of fifty branches reads as one path': async ({ scope }) => {
    const session = await scope.sessions.create()
    const expected: string[] = []
    for (let depth = 1; depth <= 50; depth++) {
      await scope.branches.create(session.id, { activate: true })
      await say(scope, session, `${depth}a`, `${depth}b`)
      expected.push(`${depth}a`, `${depth}b`)
    }
    expect(await path(scope, session)).toEqual(expected)
    const page = await scope.messages.list(session.id, { limit: 5 })
    expect(page.items.map(({ position }) => position)).toEqual([96, 97, 98, 99, 100])
  },
})
