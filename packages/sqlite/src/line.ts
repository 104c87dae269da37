import type { Call } from '@holdfast/core'
import { settledOrAborted } from './patience.js'

/** Where the writers of one store wait for each other, first come, first served. */
export interface Line {
  isEmpty(): boolean
  /** Runs the task once everybody before has left; at once, and for it to refuse, when the call is aborted meanwhile. */
  inTurn<Result>(task: () => Promise<Result>, call: Call): Promise<Result>
  /** Resolves when nobody is in line. */
  empty(): Promise<void>
}

export function createLine(): Line {
  let last: Promise<void> | undefined

  return {
    isEmpty: () => last === undefined,

    async inTurn(task, call) {
      const turn = last ?? Promise.resolve()
      let leave = () => {}
      const left = new Promise<void>((resolve) => {
        leave = resolve
      })
      const mine = turn.then(() => left)
      last = mine
      mine.then(() => {
        if (last === mine) last = undefined
      })
      try {
        await settledOrAborted(turn, call.signal)
        return await task()
      } finally {
        leave()
      }
    },

    async empty() {
      while (last !== undefined) await last
    },
  }
}
