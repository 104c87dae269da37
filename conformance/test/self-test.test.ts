import { type Backend, createStore, isHoldfastError, type Store } from '@holdfast/core'
import { createMemoryBackend, MemoryData } from '@holdfast/core/memory'
import { describe, expect, it } from 'vitest'
import { type Behaviour, carryOut, groups, type Harness } from '../src/index.js'
import { brokenCommits } from './broken-commits.js'
import { brokenMeetings } from './broken-meetings.js'
import { brokenReads } from './broken-reads.js'
import { brokenStores } from './broken-stores.js'

// A suite that cannot fail proves nothing. Each mistake below must be caught by the behaviour that names its rule; that
// the same backend without the mistake passes them all is what memory.test.ts shows.

const behaviours = groups.flatMap((group) => group.behaviours)

function memoryHarness(breakBackend: (backend: Backend) => Backend, breakStore: (store: Store) => Store): Harness {
  return {
    name: 'memory with a mistake',
    place: async () => {
      const data = new MemoryData()
      return {
        token: 'memory',
        open: async (options) => breakStore(createStore(breakBackend(createMemoryBackend(data)), options)),
        remove: async () => undefined,
      }
    },
  }
}

function behaviourOf(rule: string): Behaviour {
  const behaviour = behaviours.find(({ title }) => title === rule)
  if (behaviour === undefined) throw new Error(`No behaviour is called "${rule}".`)
  return behaviour
}

/** The behaviour must fail because it found the mistake, not because the mistake could not be run. */
function isFinding(error: unknown): boolean {
  if (isHoldfastError(error)) return true
  return error instanceof Error && (error.name === 'AssertionError' || isFinding(error.cause))
}

async function expectCaught(rule: string, broken: Harness): Promise<void> {
  const behaviour = behaviourOf(rule)
  const error = await carryOut(broken, behaviour).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error, 'the mistake was not caught').toBeDefined()
  if (!isFinding(error)) throw error
}

describe('a broken backend is caught', () => {
  for (const { mistake, rule, breakIt } of [...brokenReads, ...brokenCommits, ...brokenMeetings])
    it(`when ${mistake}`, async () => {
      await expectCaught(
        rule,
        memoryHarness(breakIt, (store) => store),
      )
    })
})

describe('a wrong decision above the backend is caught', () => {
  for (const { mistake, rule, breakIt } of brokenStores)
    it(`when ${mistake}`, async () => {
      await expectCaught(
        rule,
        memoryHarness((backend) => backend, breakIt),
      )
    })
})

describe('the suite', () => {
  it('has no two behaviours of one title', () => {
    const titles = behaviours.map(({ title }) => title)
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([])
  })
})
