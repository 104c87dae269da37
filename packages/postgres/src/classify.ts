import { type Classified, type ErrorCode, HoldfastError, isHoldfastError } from '@holdfast/core'
import { codeOf } from './pipeline.js'

type Meaning = readonly [pattern: RegExp, code: ErrorCode, words: string]

const meanings: readonly Meaning[] = [
  [/^(40001|40P01|55P03)/, 'busy', 'others hold what the call needs'],
  [/^53300/, 'busy', 'the server has no connection left'],
  [/^53100/, 'disk_full', 'the server has no room left; nothing was written'],
  [/^57014/, 'timeout', 'the server gave the statement up at its time limit'],
  [/^25006/, 'read_only', 'the server only reads: it may be a standby'],
  [/^28/, 'unauthorized', 'the server refused the role or its password'],
  [/^42501/, 'unauthorized', 'the role may not do this'],
  [/^3D000/, 'unavailable', 'there is no such database'],
  [/^(42P01|42703|3F000)/, 'schema_missing', 'a table or column of the store is gone; open it again to find out which'],
  [/^(22001|54000|54001)/, 'too_large', 'a value is larger than the server allows'],
  [/^23/, 'conflict', 'the write contradicts what is stored'],
  [/^XX00[12]/, 'corrupt', 'the server found its files damaged'],
  [/^57P03/, 'unavailable', 'the server is starting or stopping'],
  [/^(57P|08|53|58|XX)/, 'unavailable', 'the server ended the connection or failed'],
  [/^E[A-Z]/, 'unavailable', 'the server cannot be reached'],
]

const anythingElse: Meaning = [/^/, 'unavailable', 'the server refused a statement']

const unsettled = new WeakSet<object>()

/** Remembers that nobody can say whether the commit took place which this error is about. */
export function markUnsettled(error: unknown): object {
  const marked = Object(error)
  unsettled.add(marked)
  return marked
}

/**
 * Says what a failure of the server or of the network means, by its code alone: texts of errors can hold content, and
 * those of the driver a password. What has no such code is a mistake in the program, and undefined.
 */
export function classify(error: unknown): Classified | undefined {
  const found = codeOf(error)
  if (unsettled.has(Object(error))) {
    const reason = found === '' ? 'the connection was lost' : found
    return {
      code: 'outcome_unknown',
      message: `Postgres: no answer to a commit (${reason}): it may or may not be stored. Repeat the call with its ids.`,
    }
  }
  if (isLost(error)) return { code: 'unavailable', message: 'Postgres: the connection was lost.' }
  if (!/^([0-9A-Z]{5}|E[A-Z_]+)$/.test(found)) return undefined
  const [, code, words] = meanings.find(([pattern]) => pattern.test(found)) ?? anythingElse
  return { code, message: `Postgres: ${words} (${found}).` }
}

/** The driver has no codes for its own errors. */
const lost = /^(Connection terminated|Client (has encountered|was closed)|The server did not answer|Query read timeout)/

function isLost(error: unknown): boolean {
  return error instanceof Error && lost.test(error.message)
}

/** For what happens outside the calls that core wraps. No cause: the driver's error may quote a password. */
export function wrapped(error: unknown): unknown {
  const classified = isHoldfastError(error) ? undefined : classify(error)
  if (classified === undefined) return error
  return new HoldfastError(classified.code, classified.message, { entity: 'store' })
}
