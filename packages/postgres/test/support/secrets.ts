import { inspect } from 'node:util'
import { type HoldfastError, isHoldfastError } from '@holdfast/core'
import { expect } from 'vitest'

/** The error of a call, which must be one of the library and must not hold a secret anywhere. */
export async function errorWithout(secret: string, call: Promise<unknown>): Promise<HoldfastError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!isHoldfastError(error)) throw new Error('The call did not fail with an error of the library.', { cause: error })
  const texts = [error.message, error.stack, String(error.cause), JSON.stringify(error)]
  texts.push(inspect(error, { depth: 10, showHidden: true, getters: true }))
  for (const text of texts) expect(text).not.toContain(secret)
  return error
}
