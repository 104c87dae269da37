import { relative } from 'node:path'
import type { Store } from '@holdfast/core'
import type { FakeClock } from '@holdfast/core/testing'
import fc from 'fast-check'
import { expect } from 'vitest'
import { compare } from './compare.js'
import { sessionSteps } from './session-steps.js'
import { threadSteps } from './thread-steps.js'
import { traced } from './traced.js'
import { Choices, World } from './world.js'

const steps = { ...threadSteps, ...sessionSteps }
const names = Object.keys(steps)

/** Any step, and every other time one of those that are hard. */
const name = fc.oneof(
  fc.constantFrom(...names),
  fc.constantFrom('append', 'append', 'append', 'fork', 'fork', 'edit', 'rewind'),
)

/** A step as data, so that a failing sequence can be shrunk and printed: its name, and the seed of its choices. */
const step = fc.tuple(name, fc.noShrink(fc.nat(0xffff)))

const longestMs = 30_000

/** Random sequences of operations against a backend and the naive model, compared after every step. */
export async function runRandomly(store: Store, clock: FakeClock): Promise<void> {
  const start = clock()
  let runs = 0
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }), async (sequence) => {
    clock.set(start)
    // A scope of its own for each sequence is as good as a store of its own, and faster.
    const scope = store.scope(`run-${runs++}`)
    const trace: string[] = []
    const world = new World(traced(scope, trace), clock)
    try {
      // Without a session nearly every step is refused, so each sequence begins with one.
      for (const [chosen, seed] of [['create', 0] as const, ...sequence]) {
        await steps[chosen]?.(world, new Choices(seed))
        await compare(scope, world.model)
      }
    } catch (error) {
      throw new Error(`The store and the model differ after:\n${trace.join('\n')}`, { cause: error })
    }
  })
  const details = await fc.check(property, parametersOfTheEnvironment())
  if (details.failed)
    throw new Error(`${fc.defaultReportMessage(details)}\n\n${reproduction(details)}`, { cause: details.errorInstance })
  expect((await store.admin.integrity()).problems).toEqual([])
}

function parametersOfTheEnvironment(): fc.Parameters<unknown> {
  const { HOLDFAST_SEED: seed, HOLDFAST_PATH: path, HOLDFAST_RUNS: runs } = process.env
  return {
    numRuns: runs === undefined ? 150 : Number(runs),
    // A server takes a hundred times as long as memory does; what matters is that every run of the suite tries others.
    ...(runs === undefined && { interruptAfterTimeLimit: longestMs, markInterruptAsFailure: false }),
    ...(seed !== undefined && { seed: Number(seed) }),
    ...(path !== undefined && { path, endOnFailure: true }),
  }
}

function reproduction({ seed, counterexamplePath }: { seed: number; counterexamplePath: string | null }): string {
  const { testPath = '', currentTestName = '' } = expect.getState()
  const file = relative(process.cwd(), testPath)
  const title = currentTestName.split(' > ').at(-1)
  const settings = `HOLDFAST_SEED=${seed} HOLDFAST_PATH=${counterexamplePath}`
  return `Reproduce it with:\n${settings} npx vitest run ${file} -t '${title}'`
}
