import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { answers, conversation, nth, only, says } from '../tools/content.js'
import { refused } from '../tools/refusals.js'
import { expectSameJson } from '../tools/same-json.js'

export const journal = group('journal and events', {
  'an event keeps every field it was given': async ({ scope, clock }) => {
    const { session, messages } = await conversation(scope, 'one')
    const given = { id: 'e', type: 'tool-progress', payload: { z: [1, null], a: '\u0000' }, user: 'user-1' }
    const event = await scope.events.add(session.id, { ...given, message: nth(messages, 0).id })
    expect(event).toStrictEqual({ ...given, message: nth(messages, 0).id, seq: event.seq, at: clock() })
    expectSameJson(event.payload, given.payload)
    expect(await scope.events.latest(session.id, 'tool-progress')).toStrictEqual(event)
    expect(only(await scope.events.list(session.id, { type: 'tool-progress' }))).toStrictEqual(event)
  },

  'an event needs nothing but a type': async ({ scope }) => {
    const session = await scope.sessions.create()
    const event = await scope.events.add(session.id, { type: 'signal' })
    expect(event).toMatchObject({ type: 'signal', payload: null, message: null, user: null })
    expect(await scope.events.latest(session.id, 'signal')).toStrictEqual(event)
  },

  'the journal is gapless from 1, in the order of commits': async ({ scope }) => {
    const session = await scope.sessions.create()
    const other = await scope.sessions.create()
    await scope.events.add(session.id, { type: 'a' })
    await scope.messages.append(session.id, says('one'))
    await scope.events.add(other.id, { type: 'elsewhere' })
    await scope.sessions.setStatus(session.id, { from: 'idle', to: 'running' })
    await scope.messages.appendAll(session.id, [says('two'), answers('three')])
    await scope.sessions.addUsage(session.id, { input: 1 })
    await scope.branches.rewind(session.id, { at: null })
    await scope.sessions.update(session.id, { title: 'x' })
    await scope.events.add(session.id, { type: 'b' })
    const entries = await scope.events.list(session.id)
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))
    const types = entries.map(({ type }) => type)
    expect(types.filter((type) => ['a', 'b', 'message', 'status', 'usage'].includes(type))).toEqual([
      'a',
      'message',
      'status',
      'message',
      'message',
      'usage',
      'b',
    ])
  },

  'entries written at the same time have no gap and no two of them one seq': async ({ scope }) => {
    const session = await scope.sessions.create()
    const events = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? scope.events.add(session.id, { type: 'even' })
          : scope.messages.append(session.id, says(`${index}`)),
      ),
    )
    expect(events).toHaveLength(20)
    const entries = await scope.events.list(session.id)
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: entries.length }, (_, index) => index + 1))
    expect(entries.filter(({ type }) => type === 'even')).toHaveLength(10)
  },

  'an entry for a message holds its key and no content': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'secret words', 'more of them')
    const entries = await scope.events.list(session.id, { type: 'message' })
    expect(entries.map(({ message }) => message)).toEqual(messages.map(({ id }) => id))
    expect(JSON.stringify(entries)).not.toContain('secret')
    expect(entries.map(({ payload }) => payload)).toEqual([null, null])
  },

  'events are read after a seq, oldest first': async ({ scope }) => {
    const session = await scope.sessions.create()
    for (const type of ['a', 'b', 'c', 'd']) await scope.events.add(session.id, { type })
    const all = await scope.events.list(session.id)
    const first = await scope.events.list(session.id, { limit: 2 })
    expect(first).toStrictEqual(all.slice(0, 2))
    expect(await scope.events.list(session.id, { after: nth(first, 1).seq })).toStrictEqual(all.slice(2))
    expect(await scope.events.list(session.id, { after: nth(all, -1).seq })).toEqual([])
  },

  'events of one type are read without the others': async ({ scope }) => {
    const { session } = await conversation(scope, 'noise')
    for (const payload of [1, 2, 3]) {
      await scope.events.add(session.id, { type: 'wanted', payload })
      await scope.events.add(session.id, { type: 'Wanted', payload: 'other' })
    }
    const wanted = await scope.events.list(session.id, { type: 'wanted' })
    expect(wanted.map(({ payload }) => payload)).toEqual([1, 2, 3])
    const rest = await scope.events.list(session.id, { type: 'wanted', after: nth(wanted, 0).seq, limit: 1 })
    expect(rest.map(({ payload }) => payload)).toEqual([2])
  },

  'the latest event of a type is the newest one, or null': async ({ scope }) => {
    const session = await scope.sessions.create()
    expect(await scope.events.latest(session.id, 'a')).toBeNull()
    for (const payload of [1, 2]) await scope.events.add(session.id, { type: 'a', payload })
    await scope.events.add(session.id, { type: 'b' })
    expect((await scope.events.latest(session.id, 'a'))?.payload).toBe(2)
  },

  'a type that only the store writes is invalid for a host': async ({ scope }) => {
    const session = await scope.sessions.create()
    const before = await scope.events.list(session.id)
    for (const type of ['message', 'settlement', 'status', 'branch', 'session', 'usage'])
      await refused('invalid', scope.events.add(session.id, { type, payload: { from: 'idle', to: 'failed' } }))
    expect(await scope.events.list(session.id)).toEqual(before)
  },

  'an event is about a message that its session shows': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one')
    const stranger = await conversation(scope, 'elsewhere')
    const before = await scope.events.list(session.id)
    await refused('not_found', scope.events.add(session.id, { type: 'a', message: nth(stranger.messages, 0).id }))
    await refused('not_found', scope.events.add(session.id, { type: 'a', message: 'never' }))
    expect(await scope.events.list(session.id)).toEqual(before)
    const fork = await scope.sessions.fork(session.id)
    const event = await scope.events.add(fork.id, { type: 'a', message: nth(messages, 0).id })
    expect(event.message).toBe(nth(messages, 0).id)
  },

  'an event is no activity and changes nothing of its session': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    clock.advance(10)
    await scope.events.add(session.id, { type: 'signal' })
    expect(await scope.sessions.get(session.id)).toStrictEqual(session)
  },
})
