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
    if (!isBusy(error)) throw error
  }
  return again(attempt, call, deadline)
}

/** Goes on after a first try found the database busy. The event loop runs between tries. */
export async function again<Result>(attempt: () => Result, call: Call, deadline: number): Promise<Result> {
  for (;;) {
    call.retries++
    // Random, so that processes that were refused together do not come back together.
    await pause(shortestPauseMs + Math.random() * (longestPauseMs - shortestPauseMs), call.signal)
    refuseAborted(call)
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error
    }
  }
}

export function refuseAborted({ signal }: Call): void {
  if (signal?.aborted) throw new HoldfastError('aborted', 'The call was aborted before anything was sent.')
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

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return settledOrAborted(new Promise((resolve) => setTimeout(resolve, ms)), signal)
}
