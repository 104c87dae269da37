import type { Capabilities } from '@holdfast/core'
import { makeCalls, type Outcome, type PlannedCall } from './calls.js'
import { withChildren } from './children.js'
import type { Context } from './context.js'

/** Somebody who calls a store while others do. */
export interface Worker {
  /** Makes calls in their order, so many at the same time, and tells how each of them ended. Any other end is thrown. */
  run<Result>(calls: readonly PlannedCall<Result>[], lanes?: number): Promise<readonly Outcome<Result>[]>
}

export function isSharedBetweenProcesses({ sharing }: Capabilities): boolean {
  return sharing === 'machine' || sharing === 'network'
}

/** Workers as far apart as the store allows: in processes of their own, with stores of their own, or all with one store. */
export async function withWorkers<Result>(
  { harness, place, store, open }: Context,
  count: number,
  use: (workers: readonly Worker[]) => Promise<Result>,
): Promise<Result> {
  if (isSharedBetweenProcesses(store.capabilities)) return withChildren(harness, place, count, use)
  const numbers = Array.from({ length: count }, (_, index) => index)
  const stores = await Promise.all(numbers.map(() => (store.capabilities.sharing === 'none' ? store : open())))
  return use(stores.map((each) => ({ run: (calls, lanes = 1) => makeCalls(each, calls, lanes) })))
}

/** Has plans carried out at the same time, each by a worker of its own, and tells how the calls of all of them ended. */
export async function runPlans<Result>(
  context: Context,
  plans: readonly (readonly PlannedCall<Result>[])[],
): Promise<readonly Outcome<Result>[]> {
  const outcomes = await withWorkers(context, plans.length, (workers) =>
    Promise.all(workers.map((worker, index) => worker.run(plans[index] ?? []))),
  )
  return outcomes.flat()
}
