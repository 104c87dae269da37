import { type ErrorCode, isHoldfastError, type Scope } from '@holdfast/core'
import { createRandom, type FakeClock } from '@holdfast/core/testing'
import { expect } from 'vitest'
import { NaiveModel, type NaiveSession } from './naive.js'

/** The random choices of one step, all from one number, so that the same number makes the same choices. */
export class Choices {
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = createRandom(seed)
  }

  /** A number below the limit. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  of<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error('Nothing to choose from.')
    // The index is within the list; what stands there may well be undefined.
    return items[this.below(items.length)] as Item
  }

  maybe<Item>(items: readonly Item[]): Item | undefined {
    return items.length === 0 ? undefined : this.of(items)
  }
}

/** The backend and the model side by side. */
export class World {
  readonly scope: Scope
  readonly clock: FakeClock
  readonly model = new NaiveModel()

  constructor(scope: Scope, clock: FakeClock) {
    this.scope = scope
    this.clock = clock
  }

  /** A session, mostly one of the newest, so that forks of forks of forks come about; or one that does not exist. */
  session(choices: Choices): NaiveSession | undefined {
    const kind = choices.below(12)
    if (kind === 11) return undefined
    return choices.maybe(kind > 2 ? this.model.sessions.slice(-2) : this.model.sessions)
  }

  /** Expects the backend to do what the model says: succeed, or refuse with a code. */
  async agree<Result>(expected: ErrorCode | 'success', call: Promise<Result>): Promise<Result | undefined> {
    const outcome = await call.then(
      (result) => ({ what: 'success', result }),
      (error: unknown) => {
        if (!isHoldfastError(error)) throw error
        return { what: error.code, result: undefined }
      },
    )
    expect(outcome.what).toBe(expected)
    return outcome.result
  }
}

/** The id of something that is never there. */
export const never = 'never'
