import type { Message, Scope } from '@holdfast/core'
import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { adminCalls, callsIn, type PlannedCall } from '../calls.js'
import { runRandomPlans } from '../concurrency/random-run.js'
import { nth, path, says, textOf } from '../tools/content.js'
import { ask, lossesOf, resultsOf } from '../tools/outcomes.js'
import { refused } from '../tools/refusals.js'
import { rowsOf } from '../tools/rows.js'
import { wholeJournal, wholePath } from '../tools/whole.js'
import { runPlans, withWorkers } from '../workers.js'

export const concurrency = group('concurrency', {
  'eight writers of one session leave no gap and lose nothing, and each keeps its own order': async (context) => {
    const { store, scope } = context
    const session = await scope.sessions.create()
    const { messages } = callsIn(scope.id)
    const plans = upTo(8).map((writer) =>
      upTo(250).map((number) => messages.append(session.id, says(`${number}`, { sender: `writer:${writer}` }))),
    )
    const acknowledged = resultsOf(await runPlans(context, plans))
    const stored = await wholePath(scope, session.id)
    expect(stored).toHaveLength(2000)
    expect(stored).toStrictEqual(acknowledged.toSorted((left, right) => left.position - right.position))
    for (const writer of upTo(8))
      expect(stored.filter(({ sender }) => sender === `writer:${writer}`).map(textOf)).toEqual(upTo(250).map(String))
    const journal = await wholeJournal(scope, session.id)
    expect(journal.map(({ message }) => message)).toEqual(stored.map(({ id }) => id))
    expect((await scope.sessions.get(session.id)).messageCount).toBe(2000)
    expect((await store.admin.integrity()).problems).toEqual([])
  },

  'of ten identical appends at the same time one writes, and all answer with its message': async (context) => {
    const { scope } = context
    const session = await scope.sessions.create()
    const ids = upTo(1000).map((number) => `m${number}`)
    const answers = new Map<string, Message[]>(ids.map((id) => [id, []]))
    await withWorkers(context, 5, async (workers) => {
      // In rounds, so that no worker is ahead of the others.
      for (const round of rounds(ids, 50)) {
        const twice = round.flatMap((id) => {
          const call = callsIn(scope.id).messages.append(session.id, says(id, { id }))
          return [call, call]
        })
        const outcomes = await Promise.all(workers.map((worker) => worker.run(twice, 10)))
        for (const message of outcomes.flatMap(resultsOf)) answers.get(message.id)?.push(message)
      }
    })
    const stored = await storedOnce(scope, session.id, ids)
    for (const message of stored) expect(answers.get(message.id)).toStrictEqual(upTo(10).map(() => message))
  },

  'of two contents for one id at the same time one is stored, and every append of the other is conflict': async (
    context,
  ) => {
    const { scope } = context
    const session = await scope.sessions.create()
    const ids = upTo(200).map((number) => `m${number}`)
    const answers = new Map<string, Message[]>(ids.map((id) => [id, []]))
    await withWorkers(context, 4, async (workers) => {
      for (const round of rounds(ids, 20)) {
        const both = round.map((id) =>
          ['this', 'that'].map((text) => callsIn(scope.id).messages.append(session.id, says(text, { id }))),
        )
        // Half of the workers begin with the one content, half with the other.
        const outcomes = await Promise.all(
          workers.map((worker, index) =>
            worker.run(
              both.flatMap((pair) => (index % 2 === 0 ? pair : pair.toReversed())),
              2,
            ),
          ),
        )
        const all = outcomes.flat()
        expect(lossesOf(all).map(({ lostBy }) => lostBy)).toEqual(upTo(4 * round.length).map(() => 'conflict'))
        for (const outcome of all) if (outcome.done) answers.get(outcome.result.id)?.push(outcome.result)
      }
    })
    const stored = await storedOnce(scope, session.id, ids)
    for (const message of stored) expect(answers.get(message.id)).toStrictEqual(upTo(4).map(() => message))
  },

  'batches that write to the same sessions in opposite orders at the same time all succeed': async (context) => {
    const { store, scope } = context
    const [one, other] = [await scope.sessions.create(), await scope.sessions.create()]
    const { batch, messages, sessions, tags } = callsIn(scope.id)
    const writes = (session: string, text: string) => [
      messages.append(session, says(text)),
      tags.add(session, [text]),
      sessions.addUsage(session, { input: 1 }),
      sessions.touch(session),
    ]
    const plans = upTo(4).map((worker) => {
      const [first, second] = worker % 2 === 0 ? [one, other] : [other, one]
      return upTo(100).map(() => batch(...writes(first.id, 'first'), ...writes(second.id, 'second')))
    })
    resultsOf(await runPlans(context, plans))
    for (const { id } of [one, other]) {
      const texts = await path(scope, id)
      expect(texts.toSorted()).toEqual(upTo(400).map((index) => (index < 200 ? 'first' : 'second')))
      expect((await scope.sessions.get(id)).usage.input).toBe(400)
      expect(await scope.tags.of(id)).toEqual(['first', 'second'])
      expect(await wholeJournal(scope, id)).toHaveLength(800)
    }
    expect((await store.admin.integrity()).problems).toEqual([])
  },

  'whatever is done to a session and its forks at the same time, what was acknowledged is there and nothing is broken':
    runRandomPlans,

  'a scope that is deleted while others write to it is whole or gone, whoever comes first': async (context) => {
    const { store } = context
    const { batch, sessions, messages } = callsIn('doomed')
    const before = await rowsOf(store)
    const plans = upTo(4).map((worker) =>
      upTo(60).flatMap((number): PlannedCall[] => {
        const id = `${worker} ${number}`
        const create = batch(sessions.create({ id }), messages.append(id, says('with the session')))
        const remove = number % (5 + worker) === 0 ? [adminCalls.scopes.delete('doomed')] : []
        return [create, messages.append(id, says('later')), ...remove]
      }),
    )
    const outcomes = await runPlans(context, plans)
    const calls = plans.flat()
    // What a batch creates needs nothing that another could take away.
    resultsOf(outcomes.filter((_, index) => calls[index]?.name === 'batch'))
    expect(lossesOf(outcomes).filter(({ lostBy }) => lostBy !== 'not_found')).toEqual([])
    expect((await store.admin.integrity()).problems).toEqual([])
    const scope = store.scope('doomed')
    const { items } = await scope.sessions.list({ limit: 1000 })
    for (const { id } of items) expect((await path(scope, id))[0]).toBe('with the session')
    await scope.sessions.create()
    await store.admin.scopes.delete('doomed')
    expect(await rowsOf(store)).toBe(before)
  },

  'a scope that is created again is a new one for everybody who knew the old one': async (context) => {
    const { store } = context
    const { sessions, messages, events } = callsIn('again')
    await withWorkers(context, 2, async (workers) => {
      const [creator, other] = [nth(workers, 0), nth(workers, 1)]
      await ask(creator, sessions.create({ id: 's', title: 'old' }))
      for (const worker of workers) {
        await ask(worker, messages.append('s', says('old')))
        await ask(worker, sessions.get('s'))
      }
      await ask(creator, messages.append('s', says('old', { id: 'm' })))
      await store.admin.scopes.delete('again')
      for (const worker of workers) {
        const [late] = lossesOf(await worker.run([messages.append('s', says('late'))]))
        expect(late?.lostBy).toBe('not_found')
      }
      await refused('not_found', store.scope('again').sessions.get('s'))
      await ask(creator, sessions.create({ id: 's', title: 'new' }))
      const first = await ask(other, messages.append('s', says('new', { id: 'm' })))
      expect(first.position).toBe(1)
      expect((await ask(creator, messages.append('s', says('newer')))).position).toBe(2)
      for (const worker of workers) {
        expect((await ask(worker, sessions.get('s'))).title).toBe('new')
        expect((await ask(worker, messages.list('s'))).items.map(textOf)).toEqual(['new', 'newer'])
        expect((await ask(worker, events.list('s'))).map(({ seq }) => seq)).toEqual([1, 2])
      }
    })
    expect((await store.admin.integrity()).problems).toEqual([])
  },
})

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index)
}

function rounds<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return upTo(Math.ceil(items.length / size)).map((round) => items.slice(round * size, (round + 1) * size))
}

/** The messages of a session, which must be these, each once and journalled once. */
async function storedOnce(scope: Scope, session: string, ids: readonly string[]): Promise<readonly Message[]> {
  const stored = await wholePath(scope, session)
  expect(stored.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  expect((await wholeJournal(scope, session)).map(({ message }) => message)).toEqual(stored.map(({ id }) => id))
  return stored
}
