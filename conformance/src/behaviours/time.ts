import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { calls, conversation, nth, path, say, says } from '../tools/content.js'

export const time = group('time and order', {
  'the last activity never moves back, whatever the clock does': async ({ scope, clock }) => {
    const { session } = await conversation(scope, 'one')
    const { lastActivityAt } = await scope.sessions.get(session.id)
    clock.set(clock() - 3_600_000)
    await say(scope, session, 'two')
    await scope.sessions.touch(session.id)
    await scope.messages.appendAll(session.id, [says('three')])
    expect((await scope.sessions.get(session.id)).lastActivityAt).toBe(lastActivityAt)
  },

  'a message given an old or a future time moves the last activity to now': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    clock.advance(10)
    await scope.messages.append(session.id, says('imported', { createdAt: 5 }))
    await scope.messages.append(session.id, says('ahead', { createdAt: clock() + 1_000_000 }))
    expect((await scope.sessions.get(session.id)).lastActivityAt).toBe(clock())
    expect(await path(scope, session)).toEqual(['imported', 'ahead'])
  },

  'positions and the journal keep their order when the clock goes back': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    for (const text of ['one', 'two', 'three', 'four']) {
      await say(scope, session, text)
      clock.set(clock() - 60_000)
    }
    expect(await path(scope, session)).toEqual(['one', 'two', 'three', 'four'])
    const entries = await scope.events.list(session.id, { type: 'message' })
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map(({ seq }) => seq).toSorted((a, b) => a - b))
  },

  'what was updated last never has an earlier time than before': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    const message = await scope.messages.append(session.id, { ...calls('c'), status: 'streaming' })
    clock.set(clock() - 60_000)
    expect((await scope.sessions.update(session.id, { title: 'x' })).updatedAt).toBe(session.updatedAt)
    await scope.parts.settle(session.id, 'c', { state: 'output-available', output: 1 })
    expect((await scope.messages.get(message.id)).updatedAt).toBe(message.updatedAt)
    await scope.messages.settle(message.id, { status: 'complete' })
    expect((await scope.messages.get(message.id)).updatedAt).toBe(message.updatedAt)
    expect(nth(await scope.messages.parts(message.id), 0).updatedAt).toBe(message.updatedAt)
  },

  'many messages of one millisecond keep their order': async ({ scope }) => {
    const session = await scope.sessions.create()
    const texts = Array.from({ length: 100 }, (_, index) => `${index}`)
    await say(scope, session, ...texts)
    expect(await path(scope, session)).toEqual(texts)
  },

  'times beyond the year 2100 are kept exactly': async ({ scope, clock }) => {
    const future = Date.UTC(2100, 1, 29, 12, 30, 15, 123)
    clock.set(future)
    const session = await scope.sessions.create({ createdAt: future, startedAt: 8_640_000_000_000_000 })
    const message = await scope.messages.append(session.id, says('hello from there'))
    expect(await scope.sessions.get(session.id)).toMatchObject({ createdAt: future, startedAt: 8_640_000_000_000_000 })
    expect((await scope.messages.get(message.id)).createdAt).toBe(future)
    expect(await scope.sessions.count({ activeAfter: future - 1, activeBefore: future + 1 })).toBe(1)
  },

  'minted ids are never given twice, also when the clock goes back': async ({ scope, clock }) => {
    const ids = new Set<string>()
    for (let round = 0; round < 50; round++) {
      ids.add((await scope.sessions.create()).id)
      clock.set(clock() - 1)
    }
    expect(ids.size).toBe(50)
    expect([...ids]).toEqual([...ids].sort())
  },
})
