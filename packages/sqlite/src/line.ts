import { type Call, HoldfastError } from '@holdfast/core'
import { isOver, refuseAborted, settledInTime } from './patience.js'

/** Where the writers of one store wait for each other, first come, first served. */
export interface Line {
  isEmpty(): boolean
  /** Runs the task once everybody before has left. Refused at once when the call is aborted, or its time is over, before. */
  inTurn<Result>(task: () => Promise<Result>, call: Call, deadline: number): Promise<Result>
  /** Resolves when nobody is in line. */
  empty(): Promise<void>
}

export function createLine(): Line {
  let last: Promise<void> | undefined

  return {
    isEmpty: () => last === undefined,

    async inTurn(task, call, deadline) {
      const turn = last
      let leave = () => {}
      const left = new Promise<void>((resolve) => {
        leave = resolve
      })
      const mine = (turn ?? Promise.resolve()).then(() => left)
      last = mine
      mine.then(() => {
        if (last === mine) last = undefined
      })
      try {
        if (turn !== undefined) {
          const came = await settledInTime(turn, call, deadline)
          refuseAborted(call)
          // Timers stand still while another one tries, so a turn can come after its time.
          if (!came || isOver(deadline)) throw late()
        }
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

function late(): HoldfastError {
  return new HoldfastError('busy', 'SQLite: earlier writes waited for the lock all the time; nothing was sent.')
}
