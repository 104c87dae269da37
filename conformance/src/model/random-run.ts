import type { Store } from '@holdfast/core'
import type { FakeClock } from '@holdfast/core/testing'
import fc from 'fast-check'
import { expect } from 'vitest'
import { compare } from './compare.js'
import { sessionSteps } from './session-steps.js'
import { threadSteps } from './thread-steps.js'
import { Choices, World } from './world.js'

const steps = { ...threadSteps, ...sessionSteps }
const names = Object.keys(steps)

/** Messages and forks are what is hard, so they come more often. */
const often = ['append', 'append', 'append', 'append', 'append', 'create', 'fork', 'fork', 'fork', 'edit', 'rewind']

/** A step as data, so that a failing sequence can be shrunk and printed: its name, and the seed of its choices. */
const step = fc.tuple(fc.constantFrom(...often, ...names), fc.noShrink(fc.nat(0xffff)))

/** Random sequences of operations against a backend and the naive model, compared after every step. */
export async function runRandomly(store: Store, clock: FakeClock): Promise<void> {
  const start = clock()
  let runs = 0
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }), async (sequence) => {
    clock.set(start)
    // A scope of its own for each sequence is as good as a store of its own, and faster.
    const world = new World(store.scope(`run-${runs++}`), clock)
    for (const [name, seed] of sequence) {
      await steps[name]?.(world, new Choices(seed))
      await compare(world.scope, world.model)
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
    ...(seed !== undefined && { seed: Number(seed) }),
    ...(path !== undefined && { path, endOnFailure: true }),
  }
}

function reproduction({ seed, counterexamplePath }: { seed: number; counterexamplePath: string | null }): string {
  const { testPath = '', currentTestName = '' } = expect.getState()
  const title = currentTestName.split(' > ').at(-1)
  const settings = `HOLDFAST_SEED=${seed} HOLDFAST_PATH=${counterexamplePath}`
  return `Reproduce it with:\n${settings} npx vitest run ${testPath} -t '${title}'`
}
