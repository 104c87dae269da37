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
  /**
   * Null when the call succeeded, and otherwise the code of its error. `other` is what is no error of the library: what
   * a builder of a batch threw, or a mistake in the program.
   */
  readonly code: ErrorCode | 'other' | null
}

export type Observe = (observation: Observation) => void
