/** One thing measured twice: by hand and by the library. */
export interface Comparison {
  readonly name: string
  /** The least share of the hand-written program's speed that is good enough. */
  readonly goal: number
  readonly rounds: number
  /** How many operations one round is. */
  readonly operations: number
  readonly raw: () => Promise<void> | void
  readonly holdfast: () => Promise<void>
}

export interface Compared {
  readonly name: string
  readonly goal: number
  readonly ratio: number
  readonly rawMicros: number
  readonly holdfastMicros: number
}

/** Rounds that are not counted: caches fill and code is compiled, for both. */
const warmUp = 10

/**
 * Runs both in turns, so that what else the machine does falls on both alike, and takes the median of what the rounds
 * say. Which of the two goes first changes every round.
 */
export async function compare(comparison: Comparison): Promise<Compared> {
  const raw: number[] = []
  const holdfast: number[] = []
  for (let round = 0; round < comparison.rounds + warmUp; round++) {
    const turns = [
      async () => raw.push(await timed(comparison.raw)),
      async () => holdfast.push(await timed(comparison.holdfast)),
    ]
    for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn()
    if (round < warmUp) {
      raw.length = 0
      holdfast.length = 0
    }
  }
  return {
    name: comparison.name,
    goal: comparison.goal,
    ratio: median(raw.map((micros, round) => micros / (holdfast[round] ?? Number.NaN))),
    rawMicros: median(raw) / comparison.operations,
    holdfastMicros: median(holdfast) / comparison.operations,
  }
}

async function timed(run: () => Promise<void> | void): Promise<number> {
  // A turn of its own, so that what the one before has left to collect is not charged to it.
  await new Promise((resolve) => setImmediate(resolve))
  const started = performance.now()
  await run()
  return (performance.now() - started) * 1000
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

/** A table for people; true when every goal is reached. */
export function report(results: readonly Compared[]): boolean {
  console.log(
    `${'operation'.padEnd(34)}${'by hand'.padStart(12)}${'holdfast'.padStart(12)}${'ratio'.padStart(8)}${'goal'.padStart(8)}`,
  )
  for (const { name, goal, ratio, rawMicros, holdfastMicros } of results) {
    const micros = [rawMicros, holdfastMicros].map((value) => `${value.toFixed(1)} µs`.padStart(12)).join('')
    const verdict = ratio >= goal ? '' : '  below the goal'
    console.log(`${name.padEnd(34)}${micros}${ratio.toFixed(2).padStart(8)}${goal.toFixed(2).padStart(8)}${verdict}`)
  }
  return results.every(({ ratio, goal }) => ratio >= goal)
}
