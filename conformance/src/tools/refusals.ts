import { type ErrorCode, type HoldfastError, isHoldfastError } from '@holdfast/core'
import { expect } from 'vitest'

/** Expects a call to be refused with a code, and gives the error. */
export async function refused(code: ErrorCode, attempt: Promise<unknown>): Promise<HoldfastError> {
  const error = await failureOf(attempt)
  expect(error.code, error.message).toBe(code)
  return error
}

/** Expects a call to fail with an error of the library, whatever its code. */
export async function failureOf(attempt: Promise<unknown>): Promise<HoldfastError> {
  const outcome = await attempt.then(
    () => ({ error: undefined }),
    (error: unknown) => ({ error }),
  )
  if (outcome.error === undefined) expect.fail('the call succeeded and should have been refused')
  if (!isHoldfastError(outcome.error)) throw outcome.error
  return outcome.error
}

/** How many calls succeeded, and the codes of those that did not. */
export async function outcomes<Result>(attempts: readonly Promise<Result>[]) {
  const succeeded: Result[] = []
  const codes: ErrorCode[] = []
  for (const outcome of await Promise.allSettled(attempts)) {
    if (outcome.status === 'fulfilled') succeeded.push(outcome.value)
    else if (isHoldfastError(outcome.reason)) codes.push(outcome.reason.code)
    else throw outcome.reason
  }
  return { succeeded, codes }
}
