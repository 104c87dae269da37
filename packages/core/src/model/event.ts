import { z } from 'zod'
import type { JsonValue } from '../json.js'
import type { Limits } from '../limits.js'
import { columnText, idOf, jsonValue, newIdOf, signal } from './primitives.js'
import { usageInput } from './usage.js'

/**
 * The journal types that the store writes itself. An event of a host may carry any other type, but not these, so that
 * the history cannot be forged.
 */
export const journalTypes = ['message', 'settlement', 'status', 'branch', 'session', 'usage'] as const

export const eventInput = (limits: Limits) =>
  z.strictObject({
    id: newIdOf('event', limits),
    type: columnText(limits.titleBytes).refine((type) => !journalTypes.some((own) => own === type), {
      message: 'is a type that only the store writes',
    }),
    payload: jsonValue.optional(),
    message: idOf('message', limits).optional(),
    user: columnText(limits.titleBytes).optional(),
  })
export type EventInput = z.input<ReturnType<typeof eventInput>>

/** One entry of a session's journal: gapless, visible in the order of commits. */
export interface Event {
  readonly id: string | null
  readonly seq: number
  readonly type: string
  readonly payload: JsonValue
  readonly message: string | null
  readonly user: string | null
  readonly at: number
}

export const eventListOptions = (limits: Limits) =>
  z.strictObject({
    /** The seq after which to begin. */
    after: z.int().min(0).optional(),
    type: columnText(limits.titleBytes).optional(),
    limit: z.int().min(1).max(limits.pageRows).optional(),
    signal: signal.optional(),
  })
export type EventListOptions = z.input<ReturnType<typeof eventListOptions>>

/** What a session spent beside its messages. With an id of the caller's a repeated call counts once. */
export const usageEntry = (limits: Limits) => usageInput.extend({ id: newIdOf('usage', limits) })
export type UsageEntry = z.input<ReturnType<typeof usageEntry>>
