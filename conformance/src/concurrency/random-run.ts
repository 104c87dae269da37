import type { Message, Scope, Session, ThreadPage } from '@holdfast/core'
import { expect } from 'vitest'
import type { Outcome } from '../calls.js'
import type { Context } from '../context.js'
import { collect, nth } from '../tools/content.js'
import { pagesOf } from '../tools/dump.js'
import { rowsOf } from '../tools/rows.js'
import { wholeJournal, wholePath } from '../tools/whole.js'
import { runPlans } from '../workers.js'
import { type Planned, randomCalls, root } from './random-calls.js'

/** Lets several workers do random things to one session and its forks at the same time, and looks at what is left. */
export async function runRandomPlans(context: Context): Promise<void> {
  const { HOLDFAST_SEED: given } = process.env
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given)
  try {
    await runSeed(context, seed)
  } catch (error) {
    throw new Error(`It failed with calls that HOLDFAST_SEED=${seed} plans again.`, { cause: error })
  }
}

async function runSeed(context: Context, seed: number): Promise<void> {
  const { store, scope } = context
  await scope.sessions.delete((await scope.sessions.create()).id)
  const rowsBefore = await rowsOf(store)
  await scope.sessions.create({ id: root })

  const made = await makeAtOnce(context, randomCalls(seed, scope.id, 4, 250))

  expect((await store.admin.integrity()).problems).toEqual([])
  const sessions = await pagesOf((cursor) => scope.sessions.list({ ...cursor, archived: 'any', limit: 1000 }))
  const owned = new Map<string, Message>()
  for (const session of sessions)
    for (const message of await wholeSession(scope, session)) owned.set(message.id, message)
  expectWhatWasAnswered(made, new Set(sessions.map(({ id }) => id)), owned)

  for (const { id } of sessions) await scope.sessions.delete(id)
  expect((await store.admin.integrity()).problems).toEqual([])
  expect(await rowsOf(store)).toBe(rowsBefore)
}

/** A planned call that was made. */
interface Made extends Planned {
  readonly outcome: Outcome
}

async function makeAtOnce(context: Context, plans: readonly (readonly Planned[])[]): Promise<readonly Made[]> {
  const outcomes = await runPlans(
    context,
    plans.map((plan) => plan.map(({ call }) => call)),
  )
  return plans.flat().map((planned, index) => ({ ...planned, outcome: nth(outcomes, index) }))
}

/** The messages that a session owns. Whatever it shows must have no gap, and its journal must name each of them once. */
async function wholeSession(scope: Scope, { id, activeBranch, messageCount }: Session): Promise<readonly Message[]> {
  for (const branch of await scope.branches.list(id)) {
    expect(branch.active).toBe(branch.id === activeBranch)
    expect(await wholePath(scope, id, branch.id)).toHaveLength(branch.head)
    if (branch.active) expect(messageCount).toBe(branch.head)
  }
  const owned = await collect(scope.messages.iterate(id, { branches: 'all' }))
  const appended = (await wholeJournal(scope, id)).filter(({ type }) => type === 'message')
  expect(appended.map(({ message }) => message).toSorted()).toEqual(owned.map((message) => message.id).toSorted())
  return owned
}

function expectWhatWasAnswered(
  made: readonly Made[],
  sessions: ReadonlySet<string>,
  owned: ReadonlyMap<string, Message>,
): void {
  const deleted = new Set(made.filter(({ outcome }) => outcome.done).map(({ deletes }) => deletes))
  for (const { call, appends = [], forks, outcome, mayConflict = false } of made) {
    const lasting = appends.filter(({ session }) => !deleted.has(session))
    const stored = lasting.flatMap(({ id }) => owned.get(id) ?? [])
    if (outcome.done) {
      expect(stored, call.name).toHaveLength(lasting.length)
      // A batch answers nothing; the other calls that append answer with what they appended.
      if (stored.length > 0 && call.name !== 'batch') expect(stored).toStrictEqual([outcome.result].flat())
      // The only reads in a plan are pages of messages.
      if (call.name === 'messages.list') expectNoGap((outcome.result as ThreadPage<Message>).items)
      if (forks !== undefined) expect(sessions.has(forks), forks).toBe(!deleted.has(forks))
    } else {
      expect(stored, call.name).toEqual([])
      if (forks !== undefined) expect(sessions.has(forks), forks).toBe(false)
      if (!mayConflict) expect(outcome.lostBy, `${call.name}: ${outcome.reason}`).toBe('not_found')
    }
  }
}

function expectNoGap(page: readonly Message[]): void {
  const first = page[0]?.position ?? 1
  expect(page.map(({ position }) => position)).toEqual(page.map((_, index) => first + index))
}
