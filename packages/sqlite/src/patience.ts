import { type Call, HoldfastError } from '@holdfast/core'
import { isBusy } from './classify.js'

const shortestPauseMs = 2
const longestPauseMs = 25

/** Tries at once, and again while the database is busy. */
export async function patiently<Result>(attempt: () => Result, call: Call, deadline: number): Promise<Result> {
  refuseAborted(call)
  try {
    return attempt()
  } catch (error) {
    if (!isBusy(error) || isOver(deadline)) throw error
  }
  return again(attempt, call, deadline)
}

/** Goes on after a first try found the database busy. The event loop runs between tries, the last of which is at the deadline. */
export async function again<Result>(attempt: () => Result, call: Call, deadline: number): Promise<Result> {
  for (;;) {
    call.retries++
    // Random, so that processes that were refused together do not come back together.
    const pause = shortestPauseMs + Math.random() * (longestPauseMs - shortestPauseMs)
    await settledInTime(undefined, call, Math.min(performance.now() + pause, deadline))
    refuseAborted(call)
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || isOver(deadline)) throw error
    }
  }
}

export function isOver(deadline: number): boolean {
  return performance.now() >= deadline
}

export function refuseAborted({ signal }: Call): void {
  if (signal?.aborted) throw new HoldfastError('aborted', 'The call was aborted before anything was sent.')
}

/** Waits for the promise, where there is one, until the signal aborts or the deadline; true when the promise came first. */
export function settledInTime(
  promise: Promise<void> | undefined,
  { signal }: Call,
  deadline: number,
): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const giveUp = () => end(false)
    const timer = setTimeout(giveUp, Math.max(0, deadline - performance.now()))
    function end(inTime: boolean): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
      resolve(inTime)
    }
    signal?.addEventListener('abort', giveUp)
    promise?.then(() => end(true))
  })
}
