import { expect } from 'vitest'
import type { Outcome, PlannedCall } from '../calls.js'
import type { Worker } from '../workers.js'

type Lost = Extract<Outcome, { done: false }>

/** Has a worker make one call, which must succeed. */
export async function ask<Result>(worker: Worker, call: PlannedCall<Result>): Promise<Result> {
  const [result] = resultsOf(await worker.run([call]))
  // One call has one outcome, and what it answers may well be nothing.
  return result as Result
}

/** What calls answered, all of which must have succeeded. */
export function resultsOf<Result>(outcomes: readonly Outcome<Result>[]): readonly Result[] {
  const lost = lossesOf(outcomes)
  expect(lost.slice(0, 5), `${lost.length} calls were refused`).toEqual([])
  return outcomes.flatMap((outcome) => (outcome.done ? [outcome.result] : []))
}

export function lossesOf(outcomes: readonly Outcome[]): readonly Lost[] {
  return outcomes.filter((outcome) => !outcome.done)
}
