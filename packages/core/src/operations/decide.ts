import { aborted, HoldfastError } from '../errors.js'
import { settledOrAborted } from '../lines.js'
import type { Command, Expectation, Receipt } from '../ports/commands.js'
import type { Work } from '../work.js'
import { commit } from './commit.js'
import { refusal } from './draft.js'

/** A write that follows from what was read. */
export interface Decision<Result> {
  /** Empty when there is nothing to do. */
  readonly commands: readonly Command[]
  result(receipts: readonly Receipt[]): Result
}

const patienceMs = 30_000
const longestPauseMs = 50

/**
 * Reads, decides and writes under the versions that were read, again from the start while others are faster. Refusals
 * outside of `again` end it. Calls of the same store about the same record wait for each other; those of other stores and
 * processes may come in between, and time is given to them.
 */
export function decide<Result>(
  work: Work,
  record: string,
  again: readonly Expectation[],
  attempt: () => Promise<Decision<Result>>,
): Promise<Result> {
  return work.tools.lines.inTurn(`${work.scope}\u0000${record}`, work.signal, async () => {
    const deadline = performance.now() + patienceMs
    for (let tries = 1; ; tries++) {
      const decision = await attempt()
      if (decision.commands.length === 0) return decision.result([])
      const outcome = await commit(work, decision.commands)
      if (outcome.committed) return decision.result(outcome.receipts)
      if (outcome.expectation === 'usage' || !again.includes(outcome.expectation))
        throw refusal(decision.commands, outcome)
      if (performance.now() > deadline)
        throw new HoldfastError('busy', 'Others kept changing the same record. Try again.')
      work.retries++
      // Random, so that those who were refused together do not come back together.
      await pause(Math.random() * Math.min(2 ** tries, longestPauseMs), work.signal)
      if (work.signal?.aborted) throw aborted()
    }
  })
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return settledOrAborted(new Promise((resolve) => setTimeout(resolve, ms)), signal)
}
