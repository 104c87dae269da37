/** Every code an error of Holdfast can carry. Codes are API: they never change meaning. Messages are not. */
export const errorCodes = [
  'not_found',
  'conflict',
  'invalid',
  'too_large',
  'closed',
  'aborted',
  'busy',
  'timeout',
  'unavailable',
  'outcome_unknown',
  'lease_lost',
  'cursor_expired',
  'in_use',
  'read_only',
  'disk_full',
  'corrupt',
  'schema_newer',
  'schema_missing',
  'unauthorized',
  'decrypt_failed',
  'unsupported',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** The kinds of thing an error or an operation can be about. */
export type Entity = 'scope' | 'session' | 'branch' | 'message' | 'part' | 'event' | 'usage' | 'cursor' | 'store'

/** What an error may say beside its code. Never content: ids and names of fields only. */
export interface ErrorDetails {
  readonly entity?: Entity
  readonly id?: string
  /** The operation that was called, such as `messages.append`. */
  readonly operation?: string
  /** The path of the argument that was refused, such as `message.parts[0].type`. */
  readonly path?: string
  /** Ids that were minted for a write whose fate is unknown; repeating the call with them converges. */
  readonly ids?: readonly string[]
  readonly cause?: unknown
}

const marker = Symbol.for('holdfast.error')
const passing: ReadonlySet<ErrorCode> = new Set(['busy', 'timeout', 'unavailable', 'outcome_unknown'])

/**
 * The one error class of Holdfast.
 *
 * @example
 * ```ts
 * try {
 *   await scope.sessions.get('ses_unknown')
 * } catch (error) {
 *   if (isHoldfastError(error, 'not_found')) console.log('no such session')
 *   else throw error
 * }
 * ```
 */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError'
  readonly code: ErrorCode
  /** Whether the same call may succeed later without any change. */
  readonly retryable: boolean
  readonly entity: Entity | undefined
  readonly id: string | undefined
  readonly operation: string | undefined
  readonly path: string | undefined
  readonly ids: readonly string[] | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.retryable = passing.has(code)
    this.entity = details.entity
    this.id = details.id
    this.operation = details.operation
    this.path = details.path
    this.ids = details.ids
    Object.defineProperty(this, marker, { value: true })
  }
}

/** Recognises an error of Holdfast, also one thrown by another copy of this package. */
export function isHoldfastError(error: unknown, code?: ErrorCode): error is HoldfastError {
  if (typeof error !== 'object' || error === null || !(marker in error)) return false
  return code === undefined || ('code' in error && error.code === code)
}

/** The same words for an id that never existed and for one of another scope: nobody learns which. */
export function notFound(entity: Entity, id: string): HoldfastError {
  return new HoldfastError('not_found', `There is no such ${entity}.`, { entity, id })
}

export function conflict(message: string, details: ErrorDetails = {}): HoldfastError {
  return new HoldfastError('conflict', message, details)
}

export function invalid(message: string, path?: string): HoldfastError {
  return new HoldfastError('invalid', message, path === undefined ? {} : { path })
}

export function aborted(): HoldfastError {
  return new HoldfastError('aborted', 'The call was cancelled before anything was sent.')
}

export function tooLarge(what: string, limit: number, unit = 'bytes'): HoldfastError {
  return new HoldfastError('too_large', `${what} is larger than the limit of ${limit} ${unit}.`, { path: what })
}
