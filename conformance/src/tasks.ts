import type { Outcome, PlannedCall } from './calls.js'

/** What a test asks of a child process. */
export type Task =
  /** Opens the store that the other tasks are about. */
  | { readonly kind: 'open'; readonly token: string }
  | { readonly kind: 'calls'; readonly calls: readonly PlannedCall[]; readonly lanes: number }
  /** Appends one message after the other and says so after each, until the process is killed. */
  | { readonly kind: 'append-until-killed'; readonly scope: string; readonly session: string }
  | { readonly kind: 'close' }

/** What a child process says: one `done` or `failed` after each task. */
export type Answer =
  | { readonly kind: 'acknowledged'; readonly message: string }
  | { readonly kind: 'done'; readonly outcomes: readonly Outcome[] }
  | { readonly kind: 'failed'; readonly reason: string }
