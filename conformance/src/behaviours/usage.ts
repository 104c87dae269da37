import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { answers, nth, says } from '../tools/content.js'
import { dump } from '../tools/dump.js'
import { outcomes, refused } from '../tools/refusals.js'
import { noUsage } from '../tools/usage.js'

export const usage = group('usage', {
  'usage adds up, field by field': async ({ scope }) => {
    const session = await scope.sessions.create({ usage: { input: 1, cost: 1 } })
    const spent = { input: 1, output: 2, reasoning: 3, cacheRead: 4, cacheWrite: 5, total: 6, cost: 7 }
    await scope.sessions.addUsage(session.id, spent)
    await scope.sessions.addUsage(session.id, { cacheRead: 10 })
    expect((await scope.sessions.get(session.id)).usage).toStrictEqual({
      input: 2,
      output: 2,
      reasoning: 3,
      cacheRead: 14,
      cacheWrite: 5,
      total: 7,
      cost: 8,
    })
  },

  'a total that is left out is the sum of input and output': async ({ scope }) => {
    const session = await scope.sessions.create()
    await scope.sessions.addUsage(session.id, { input: 3, output: 4 })
    expect((await scope.sessions.get(session.id)).usage).toStrictEqual({ ...noUsage, input: 3, output: 4, total: 7 })
  },

  'usage with an id counts once': async ({ scope }) => {
    const session = await scope.sessions.create()
    const spent = { id: 'turn-1', input: 3 }
    await scope.sessions.addUsage(session.id, spent)
    await scope.sessions.addUsage(session.id, spent)
    await Promise.all([1, 2, 3].map(() => scope.sessions.addUsage(session.id, spent)))
    expect((await scope.sessions.get(session.id)).usage.input).toBe(3)
  },

  'usage with an id that was used for something else is conflict': async ({ scope }) => {
    const session = await scope.sessions.create()
    const other = await scope.sessions.create()
    await scope.sessions.addUsage(session.id, { id: 'turn-1', input: 3 })
    await refused('conflict', scope.sessions.addUsage(session.id, { id: 'turn-1', input: 4 }))
    await refused('conflict', scope.sessions.addUsage(other.id, { id: 'turn-1', input: 3 }))
    expect((await scope.sessions.get(session.id)).usage.input).toBe(3)
    expect((await scope.sessions.get(other.id)).usage).toStrictEqual(noUsage)
  },

  'usage added at the same time all counts': async ({ scope }) => {
    const session = await scope.sessions.create()
    await Promise.all(Array.from({ length: 20 }, () => scope.sessions.addUsage(session.id, { output: 1, cost: 2 })))
    expect((await scope.sessions.get(session.id)).usage).toMatchObject({ output: 20, total: 20, cost: 40 })
  },

  'what a message spent counts for its session': async ({ scope }) => {
    const session = await scope.sessions.create()
    await scope.messages.append(session.id, answers('one', { usage: { input: 1, output: 2 } }))
    await scope.messages.appendAll(session.id, [says('two'), answers('three', { usage: { input: 10, total: 100 } })])
    expect((await scope.sessions.get(session.id)).usage).toMatchObject({ input: 11, output: 2, total: 103 })
  },

  'what was rewound was spent all the same': async ({ scope }) => {
    const session = await scope.sessions.create()
    await scope.messages.append(session.id, answers('one', { usage: { input: 5 } }))
    await scope.branches.rewind(session.id, { at: null })
    await scope.messages.append(session.id, answers('again', { usage: { input: 6 } }))
    expect((await scope.sessions.get(session.id)).usage.input).toBe(11)
  },

  'costs are whole numbers and sums stay exact': async ({ scope }) => {
    const session = await scope.sessions.create()
    const large = 2 ** 51 + 1
    for (let turn = 0; turn < 3; turn++) await scope.sessions.addUsage(session.id, { cost: large })
    expect((await scope.sessions.get(session.id)).usage.cost).toBe(large * 3)
    await refused('invalid', scope.sessions.addUsage(session.id, { cost: 0.5 }))
    await refused('invalid', scope.sessions.addUsage(session.id, { input: -1 }))
    expect((await scope.sessions.get(session.id)).usage.cost).toBe(large * 3)
  },

  'what would make a sum inexact is too large, and nothing of it is written': async ({ scope }) => {
    const most = 9e15
    const session = await scope.sessions.create()
    const message = await scope.messages.append(session.id, answers('one', { status: 'streaming' }))
    const spent = { id: 'all', cost: most - 5 }
    await scope.sessions.addUsage(session.id, spent)
    const before = await dump(scope)
    const usage = { cost: 1e14 }
    const attempts = [
      () => scope.sessions.addUsage(session.id, { cost: Number.MAX_SAFE_INTEGER }),
      () => scope.sessions.addUsage(session.id, usage),
      () => scope.messages.append(session.id, answers('two', { usage })),
      () => scope.messages.settle(message.id, { usage }),
      () => scope.batch((write) => write.sessions.addUsage(session.id, usage)),
      () =>
        scope.batch((write) => {
          const { id } = write.sessions.create({ usage: { cost: most } })
          write.sessions.addUsage(id, usage)
        }),
      () => scope.sessions.create({ usage: { input: most, output: most } }),
      () => scope.sessions.addUsage(session.id, { input: most, output: 1 }),
    ]
    for (const attempt of attempts) await refused('too_large', attempt())
    await scope.sessions.addUsage(session.id, spent)
    expect(await dump(scope)).toEqual(before)
    await scope.sessions.addUsage(session.id, { cost: 5 })
    expect((await scope.sessions.get(session.id)).usage).toStrictEqual({ ...noUsage, cost: most })
  },

  'of large amounts at the same time that do not fit together one is counted': async ({ scope }) => {
    const session = await scope.sessions.create()
    const { codes } = await outcomes([1, 2, 3].map(() => scope.sessions.addUsage(session.id, { cost: 5e15 })))
    expect(codes).toEqual(['too_large', 'too_large'])
    expect((await scope.sessions.get(session.id)).usage.cost).toBe(5e15)
  },

  'usage is an entry of the journal': async ({ scope }) => {
    const session = await scope.sessions.create()
    await scope.sessions.addUsage(session.id, { id: 'turn-1', input: 3 })
    const entries = await scope.events.list(session.id, { type: 'usage' })
    expect(nth(entries, 0)).toMatchObject({ id: 'turn-1', payload: { input: 3 } })
  },
})
