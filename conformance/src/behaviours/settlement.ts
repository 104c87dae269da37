import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { answers, nth, only } from '../tools/content.js'
import { outcomes, refused } from '../tools/refusals.js'
import { expectSameJson } from '../tools/same-json.js'
import { scopesOf } from '../tools/stores.js'

const ending = {
  status: 'complete',
  usage: { input: 10, output: 5 },
  finishReason: 'stop',
  error: { note: ['none'] },
} as const

export const settlement = group('settlement of messages', {
  'a streaming message is closed with status, usage, finish reason and error': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    const open = await scope.messages.append(session.id, answers('text', { status: 'streaming' }))
    clock.advance(10)
    const closed = await scope.messages.settle(open.id, ending)
    expect(closed).toStrictEqual({
      ...open,
      ...ending,
      usage: { input: 10, output: 5, reasoning: 0, cacheRead: 0, cacheWrite: 0, total: 15, cost: 0 },
      updatedAt: clock(),
    })
    expect(await scope.messages.get(open.id)).toStrictEqual(closed)
    expect(only((await scope.messages.list(session.id)).items)).toStrictEqual(closed)
  },

  'the same settlement again returns the message and writes nothing': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    const open = await scope.messages.append(session.id, answers('text', { status: 'streaming' }))
    const closed = await scope.messages.settle(open.id, ending)
    const journal = await scope.events.list(session.id)
    clock.advance(10)
    expect(await scope.messages.settle(open.id, ending)).toStrictEqual(closed)
    expect(await scope.messages.get(open.id)).toStrictEqual(closed)
    expect(await scope.events.list(session.id)).toStrictEqual(journal)
    expect((await scope.sessions.get(session.id)).usage.total).toBe(15)
  },

  'the order of keys makes no other settlement of a message': async ({ scope }) => {
    const session = await scope.sessions.create()
    const open = await scope.messages.append(session.id, answers('text', { status: 'streaming' }))
    const closed = await scope.messages.settle(open.id, { status: 'failed', error: { a: 1, b: { c: 2, d: 3 } } })
    const again = await scope.messages.settle(open.id, { error: { b: { d: 3, c: 2 }, a: 1 }, status: 'failed' })
    expectSameJson(again, closed)
  },

  'a second, different settlement of a message is conflict and writes nothing': async ({ scope }) => {
    const session = await scope.sessions.create()
    const open = await scope.messages.append(session.id, answers('text', { status: 'streaming' }))
    const closed = await scope.messages.settle(open.id, ending)
    await refused('conflict', scope.messages.settle(open.id, { status: 'failed' }))
    await refused('conflict', scope.messages.settle(open.id, { ...ending, usage: { input: 11 } }))
    await refused('conflict', scope.messages.settle(open.id, { finishReason: 'length' }))
    await refused('conflict', scope.messages.settle(open.id, { error: { note: [] } }))
    await refused('conflict', scope.messages.settle(open.id, { metadata: { a: 1 }, status: 'cancelled' }))
    expect(await scope.messages.get(open.id)).toStrictEqual(closed)
    expect((await scope.sessions.get(session.id)).usage.total).toBe(15)
  },

  'of different settlements at the same time one succeeds': async (context) => {
    const { scope } = context
    const session = await scope.sessions.create()
    const open = await scope.messages.append(session.id, answers('text', { status: 'streaming' }))
    const statuses = ['complete', 'failed', 'cancelled', 'interrupted'] as const
    const scopes = await scopesOf(context, statuses.length)
    const { succeeded, codes } = await outcomes(
      statuses.map((status, index) => nth(scopes, index).messages.settle(open.id, { status })),
    )
    expect(codes).toEqual(['conflict', 'conflict', 'conflict'])
    expect(await scope.messages.get(open.id)).toStrictEqual(nth(succeeded, 0))
  },

  'metadata merges at the top level, also after the message has closed': async ({ scope }) => {
    const session = await scope.sessions.create()
    const message = await scope.messages.append(session.id, answers('text', { metadata: { a: 1, b: { c: 1 }, d: 2 } }))
    const settled = await scope.messages.settle(message.id, { metadata: { b: { e: null }, d: null, f: 3 } })
    expectSameJson(settled.metadata, { a: 1, b: { e: null }, f: 3 })
    await scope.messages.settle(message.id, { metadata: { a: 9 } })
    expectSameJson((await scope.messages.get(message.id)).metadata, { a: 9, b: { e: null }, f: 3 })
  },

  'a message that was complete when it was appended is closed': async ({ scope }) => {
    const session = await scope.sessions.create()
    const message = await scope.messages.append(session.id, answers('text'))
    await refused('conflict', scope.messages.settle(message.id, { status: 'failed' }))
    expect(await scope.messages.settle(message.id, { status: 'complete' })).toStrictEqual(message)
  },

  'usage that settles later is counted once for the session': async ({ scope }) => {
    const session = await scope.sessions.create()
    const message = await scope.messages.append(session.id, answers('text', { status: 'streaming' }))
    await scope.messages.settle(message.id, { status: 'complete' })
    await scope.messages.settle(message.id, { usage: { input: 3, output: 4, cost: 5 } })
    await scope.messages.settle(message.id, { usage: { input: 3, output: 4, cost: 5 } })
    expect((await scope.sessions.get(session.id)).usage).toMatchObject({ input: 3, output: 4, total: 7, cost: 5 })
  },

  'a message is settled for every fork that shows it': async ({ scope }) => {
    const session = await scope.sessions.create()
    const open = await scope.messages.append(session.id, answers('text', { status: 'streaming' }))
    const fork = await scope.sessions.fork(session.id)
    const closed = await scope.messages.settle(open.id, ending)
    expect(only((await scope.messages.list(fork.id)).items)).toStrictEqual(closed)
    expect((await scope.sessions.get(fork.id)).usage.total).toBe(0)
  },

  'a settlement is an entry of the journal that names the message': async ({ scope }) => {
    const session = await scope.sessions.create()
    const open = await scope.messages.append(session.id, answers('text', { status: 'streaming' }))
    expect(await scope.events.latest(session.id, 'settlement')).toBeNull()
    await scope.messages.settle(open.id, ending)
    expect(await scope.events.latest(session.id, 'settlement')).toMatchObject({ message: open.id, payload: null })
  },
})
