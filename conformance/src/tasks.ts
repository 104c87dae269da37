import type { Message } from '@holdfast/core'

/** What a test asks of a child process. */
export type Task =
  | {
      readonly kind: 'append'
      readonly scope: string
      readonly session: string
      readonly text: string
      readonly id?: string
    }
  | { readonly kind: 'append-many'; readonly scope: string; readonly session: string; readonly count: number }
  /** Appends one message after the other and says so after each, until the process is killed. */
  | { readonly kind: 'append-until-killed'; readonly scope: string; readonly session: string }
  | { readonly kind: 'read'; readonly scope: string; readonly session: string }
  | { readonly kind: 'delete'; readonly scope: string; readonly session: string }
  | { readonly kind: 'close' }

/** What a child process says. `ready` comes first, and one `done` or `failed` after each task. */
export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'acknowledged'; readonly message: string }
  | { readonly kind: 'done'; readonly messages: readonly Message[] }
  | { readonly kind: 'failed'; readonly reason: string }
