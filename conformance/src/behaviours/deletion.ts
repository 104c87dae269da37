import type { Store } from '@holdfast/core'
import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { answers, calls, collect, conversation, nth, numbered, partOf, path, say, says } from '../tools/content.js'
import { outcomes, refused } from '../tools/refusals.js'
import { rowsOf } from '../tools/rows.js'

async function expectNoOrphans(store: Store): Promise<void> {
  expect(await store.admin.integrity()).toStrictEqual({ ok: true, problems: [] })
}

export const deletion = group('deletion and retention', {
  'a deleted session is gone from every read at once': async ({ store, scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    await scope.tags.set(session.id, ['t'])
    await scope.folders.set(session.id, ['f'])
    await scope.events.add(session.id, { type: 'signal' })
    await scope.sessions.delete(session.id)
    await refused('not_found', scope.sessions.get(session.id))
    await refused('not_found', scope.sessions.load(session.id))
    await refused('not_found', scope.sessions.statusHistory(session.id))
    await refused('not_found', scope.messages.list(session.id))
    await refused('not_found', collect(scope.messages.iterate(session.id)))
    await refused('not_found', scope.messages.get(nth(messages, 0).id))
    await refused('not_found', scope.messages.parts(nth(messages, 1).id))
    await refused('not_found', scope.branches.list(session.id))
    await refused('not_found', scope.branches.get(session.activeBranch))
    await refused('not_found', scope.events.list(session.id))
    await refused('not_found', scope.events.latest(session.id, 'signal'))
    await refused('not_found', scope.tags.of(session.id))
    await refused('not_found', scope.folders.of(session.id))
    expect((await scope.sessions.list({ archived: 'any' })).items).toEqual([])
    expect(await scope.sessions.count({ archived: 'any' })).toBe(0)
    expect((await scope.tags.list()).items).toEqual([])
    expect((await scope.folders.find('f')).items).toEqual([])
    await expectNoOrphans(store)
  },

  'a deleted session accepts no write': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one')
    await scope.sessions.delete(session.id)
    await refused('not_found', scope.messages.append(session.id, says('two')))
    await refused('not_found', scope.messages.append(session.id, says('one', { id: nth(messages, 0).id })))
    await refused('not_found', scope.messages.settle(nth(messages, 0).id, { metadata: { a: 1 } }))
    await refused('not_found', scope.sessions.update(session.id, { title: 'x' }))
    await refused('not_found', scope.sessions.touch(session.id))
    await refused('not_found', scope.sessions.fork(session.id))
    await refused('not_found', scope.branches.activate(session.activeBranch))
    await refused('not_found', scope.tags.add(session.id, ['a']))
    await refused('not_found', scope.events.add(session.id, { type: 'signal' }))
    await refused('not_found', scope.sessions.delete(session.id))
    expect(await scope.sessions.count({ archived: 'any' })).toBe(0)
  },

  'the ids of a deleted session, of its branches, messages and events are free again': async ({ scope }) => {
    await scope.sessions.create({ id: 's', title: 'before' })
    await scope.messages.append('s', says('before', { id: 'm' }))
    await scope.branches.create('s', { id: 'b' })
    await scope.events.add('s', { id: 'e', type: 'before' })
    await scope.sessions.addUsage('s', { id: 'u', input: 1 })
    await scope.sessions.delete('s')
    const again = await scope.sessions.create({ id: 's', title: 'after' })
    expect(again).toMatchObject({ title: 'after', messageCount: 0, version: 1 })
    expect(await path(scope, again)).toEqual([])
    await scope.messages.append('s', answers('after', { id: 'm' }))
    await scope.branches.create('s', { id: 'b', name: 'after' })
    await scope.events.add('s', { id: 'e', type: 'after' })
    await scope.sessions.addUsage('s', { id: 'u', input: 2 })
    expect(await path(scope, again)).toEqual(['after'])
    expect((await scope.sessions.get('s')).usage.input).toBe(2)
    expect((await scope.events.list('s', { type: 'before' })).length).toBe(0)
  },

  'a deleted session leaves no row behind': async ({ store, scope }) => {
    await conversation(scope, 'stays')
    const before = await rowsOf(store)
    const { session, messages } = await conversation(scope, 'one', 'two', 'three')
    await scope.tags.set(session.id, ['t'])
    await scope.folders.set(session.id, ['f/g'])
    await scope.events.add(session.id, { type: 'signal', payload: { a: 1 } })
    await scope.branches.rewind(session.id, { at: nth(messages, 0).id })
    await scope.branches.edit(session.id, nth(messages, 0).id, says('better'))
    await scope.sessions.setStatus(session.id, { from: 'idle', to: 'running' })
    expect(await rowsOf(store)).toBeGreaterThan(before)
    await scope.sessions.delete(session.id)
    expect(await rowsOf(store)).toBe(before)
    await expectNoOrphans(store)
  },

  'what a fork shows stays when the source is deleted': async ({ store, scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two', 'three')
    const fork = await scope.sessions.fork(session.id, { at: nth(messages, 1).id })
    await say(scope, fork, 'other three')
    const before = await collect(scope.messages.iterate(fork.id))
    await scope.sessions.delete(session.id)
    expect(await collect(scope.messages.iterate(fork.id))).toStrictEqual(before)
    expect(await scope.messages.get(nth(messages, 1).id)).toStrictEqual(nth(messages, 1))
    expect(await scope.messages.parts(nth(messages, 0).id)).toHaveLength(1)
    expect((await scope.sessions.get(fork.id)).messageCount).toBe(3)
    await expectNoOrphans(store)
  },

  'what no fork shows goes with the source': async ({ store, scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two', 'three')
    await scope.sessions.fork(session.id, { at: nth(messages, 0).id })
    await scope.sessions.delete(session.id)
    expect(await scope.messages.get(nth(messages, 0).id)).toStrictEqual(nth(messages, 0))
    await refused('not_found', scope.messages.get(nth(messages, 1).id))
    await refused('not_found', scope.messages.get(nth(messages, 2).id))
    await refused('not_found', scope.messages.parts(nth(messages, 2).id))
    await expectNoOrphans(store)
  },

  'what is kept for forks goes with the last one that shows it': async ({ store, scope }) => {
    await conversation(scope, 'stays')
    const before = await rowsOf(store)
    const { session, messages } = await conversation(scope, 'one', 'two')
    const first = await scope.sessions.fork(session.id)
    const second = await scope.sessions.fork(first.id, { at: nth(messages, 0).id })
    await scope.sessions.delete(session.id)
    await scope.sessions.delete(first.id)
    expect(await path(scope, second)).toEqual(['one'])
    await refused('not_found', scope.messages.get(nth(messages, 1).id))
    await scope.sessions.delete(second.id)
    await refused('not_found', scope.messages.get(nth(messages, 0).id))
    expect(await rowsOf(store)).toBe(before)
    await expectNoOrphans(store)
  },

  'a chain of forks loses its links one by one and the last still reads whole': async ({ store, scope }) => {
    const { session } = await conversation(scope, '0')
    const chain = [session]
    for (let depth = 1; depth <= 6; depth++) {
      const fork = await scope.sessions.fork(nth(chain, -1).id)
      await say(scope, fork, `${depth}`)
      chain.push(fork)
    }
    const last = nth(chain, -1)
    for (const link of [3, 0, 5, 1, 4, 2]) {
      await scope.sessions.delete(nth(chain, link).id)
      expect(await path(scope, last)).toEqual(['0', '1', '2', '3', '4', '5', '6'])
    }
    await expectNoOrphans(store)
    await say(scope, last, '7')
    expect((await scope.sessions.get(last.id)).messageCount).toBe(8)
  },

  'what another branch of a fork shows is kept too': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    const fork = await scope.sessions.fork(session.id)
    await scope.branches.rewind(fork.id, { at: nth(messages, 0).id })
    await scope.sessions.delete(session.id)
    expect(await path(scope, fork)).toEqual(['one'])
    await scope.branches.undo(fork.id)
    expect(await path(scope, fork)).toEqual(['one', 'two'])
  },

  'a fork of a fork is kept whole when the first source goes with its own tail': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two', 'three')
    const fork = await scope.sessions.fork(session.id, { at: nth(messages, 1).id })
    const early = await scope.sessions.fork(fork.id, { at: nth(messages, 0).id })
    await scope.sessions.delete(session.id)
    expect(await path(scope, fork)).toEqual(['one', 'two'])
    expect(await path(scope, early)).toEqual(['one'])
    await scope.sessions.delete(fork.id)
    expect(await path(scope, early)).toEqual(['one'])
    await refused('not_found', scope.messages.get(nth(messages, 1).id))
  },

  'what the longest fork shows is kept, and goes step by step': async ({ store, scope }) => {
    await conversation(scope, 'stays')
    const before = await rowsOf(store)
    const { session, messages } = await conversation(scope, ...numbered(8))
    const forks = []
    for (const message of messages) forks.push(await scope.sessions.fork(session.id, { at: message.id }))
    await scope.sessions.delete(session.id)
    for (let length = messages.length; length > 0; length--) {
      expect(await path(scope, nth(forks, length - 1))).toEqual(numbered(length))
      await scope.sessions.delete(nth(forks, length - 1).id)
      await refused('not_found', scope.messages.get(nth(messages, length - 1).id))
      for (const message of messages.slice(0, length - 1))
        expect(await scope.messages.get(message.id)).toStrictEqual(message)
    }
    expect(await rowsOf(store)).toBe(before)
    await expectNoOrphans(store)
  },

  'a kept message still belongs to the session it came from, and its id stays taken': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one')
    const fork = await scope.sessions.fork(session.id)
    await scope.sessions.delete(session.id)
    expect(nth(await collect(scope.messages.iterate(fork.id)), 0).session).toBe(session.id)
    await refused('conflict', scope.messages.append(fork.id, says('other', { id: nth(messages, 0).id })))
    expect(await path(scope, fork)).toEqual(['one'])
  },

  "a new session under a deleted one's id does not own what forks keep": async ({ store, scope }) => {
    await scope.sessions.create({ id: 's' })
    await scope.messages.append('s', says('old', { id: 'old' }))
    const fork = await scope.sessions.fork('s')
    await scope.sessions.delete('s')
    const again = await scope.sessions.create({ id: 's' })
    expect(await path(scope, again)).toEqual([])
    expect(await collect(scope.messages.iterate('s', { branches: 'all' }))).toEqual([])
    await say(scope, again, 'new')
    expect(await path(scope, again)).toEqual(['new'])
    expect(await path(scope, fork)).toEqual(['old'])
    await scope.sessions.delete('s')
    expect(await path(scope, fork)).toEqual(['old'])
    await expectNoOrphans(store)
  },

  'a kept message settles through the fork that shows it': async ({ scope }) => {
    const session = await scope.sessions.create()
    const call = await scope.messages.append(session.id, { ...calls('c'), status: 'streaming' })
    const fork = await scope.sessions.fork(session.id)
    await scope.sessions.delete(session.id)
    await scope.parts.settle(fork.id, 'c', { state: 'output-available', output: 1 })
    const settled = await scope.messages.settle(call.id, { status: 'complete' })
    expect(partOf(settled)).toMatchObject({ output: 1, input: { city: 'Oslo' } })
    expect(nth((await scope.messages.list(fork.id)).items, 0)).toStrictEqual(settled)
  },

  'a session that is deleted while others write to it leaves nothing behind': async ({ store, scope }) => {
    await conversation(scope, 'stays')
    const before = await rowsOf(store)
    const { session } = await conversation(scope, 'one')
    const writes = (from: number) =>
      Array.from({ length: 10 }, (_, index) => scope.messages.append(session.id, says(`${from + index}`)))
    const { codes } = await outcomes<unknown>([...writes(0), scope.sessions.delete(session.id), ...writes(10)])
    expect(codes.filter((code) => code !== 'not_found')).toEqual([])
    await refused('not_found', scope.sessions.get(session.id))
    expect(await rowsOf(store)).toBe(before)
    await expectNoOrphans(store)
  },

  'a fork made while its source is deleted shows all or is not made': async ({ store, scope }) => {
    const { session } = await conversation(scope, 'one', 'two', 'three')
    const attempts = Array.from({ length: 6 }, () => scope.sessions.fork(session.id))
    const deleted = scope.sessions.delete(session.id)
    attempts.push(...Array.from({ length: 6 }, () => scope.sessions.fork(session.id)))
    const { succeeded, codes } = await outcomes(attempts)
    await deleted
    expect(codes.filter((code) => code !== 'not_found')).toEqual([])
    for (const fork of succeeded) expect(await path(scope, fork)).toEqual(['one', 'two', 'three'])
    await expectNoOrphans(store)
  },

  'lineage outlives the session it names': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one')
    const fork = await scope.sessions.fork(session.id)
    await scope.sessions.delete(session.id)
    expect((await scope.sessions.get(fork.id)).lineage).toStrictEqual({
      relation: 'fork',
      session: session.id,
      message: nth(messages, 0).id,
    })
  },

  'a long session is deleted whole': async ({ store, scope }) => {
    await conversation(scope, 'stays')
    const before = await rowsOf(store)
    const session = await scope.sessions.create()
    const input = Array.from({ length: 3000 }, (_, index) => says(`${index}`))
    await scope.messages.appendAll(session.id, input)
    await scope.sessions.delete(session.id)
    expect(await rowsOf(store)).toBe(before)
    await expectNoOrphans(store)
  },

  "deleting a fork leaves its source's messages alone": async ({ store, scope }) => {
    const { session } = await conversation(scope, 'one', 'two')
    const before = await rowsOf(store)
    const fork = await scope.sessions.fork(session.id)
    await say(scope, fork, 'three')
    await scope.sessions.delete(fork.id)
    expect(await path(scope, session)).toEqual(['one', 'two'])
    expect(await rowsOf(store)).toBe(before)
    await expectNoOrphans(store)
  },
})
