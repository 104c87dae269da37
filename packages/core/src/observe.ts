import type { ErrorCode } from './errors.js'

/** What one call did, without any content. */
export interface Observation {
  /** The call, such as `messages.append`. */
  readonly operation: string
  readonly durationMs: number
  /** How many things were returned or written. */
  readonly rows: number
  /** How often the backend had to try again. */
  readonly retries: number
  /** The code of the error, or null when the call succeeded. */
  readonly code: ErrorCode | null
}

export type Observe = (observation: Observation) => void
