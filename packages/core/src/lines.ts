import { aborted } from './errors.js'

/**
 * Where calls of one store that would change the same record wait for each other, first come, first served. Without it all
 * of them would read the same version, one would win, and the others would read again.
 */
export class Lines {
  readonly #last = new Map<string, Promise<void>>()

  /** Runs the task once everybody before has left, or refuses when the call is aborted meanwhile. */
  async inTurn<Result>(key: string, signal: AbortSignal | undefined, task: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.get(key)
    let leave = () => {}
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    const mine = turn === undefined ? left : turn.then(() => left)
    this.#last.set(key, mine)
    mine.then(() => {
      if (this.#last.get(key) === mine) this.#last.delete(key)
    })
    try {
      if (turn !== undefined) await settledOrAborted(turn, signal)
      if (signal?.aborted) throw aborted()
      return await task()
    } finally {
      leave()
    }
  }
}

/** Resolves when the promise does, or when the signal aborts. */
export function settledOrAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return promise
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    function end(): void {
      signal?.removeEventListener('abort', end)
      resolve()
    }
    signal.addEventListener('abort', end)
    promise.then(end)
  })
}
