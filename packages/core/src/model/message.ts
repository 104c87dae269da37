import { z } from 'zod'
import type { JsonObject, JsonValue } from '../json.js'
import type { Limits } from '../limits.js'
import { type Part, part } from './part.js'
import { columnText, epochMs, type Given, idOf, jsonObject, jsonValue, newIdOf, signal } from './primitives.js'
import { type ModelRef, modelRef } from './session.js'
import { type Usage, usageInput } from './usage.js'

export const messageStatuses = ['streaming', 'complete', 'interrupted', 'failed', 'cancelled'] as const
export type MessageStatus = (typeof messageStatuses)[number]

export const messageInput = (limits: Limits) => {
  const short = columnText(limits.titleBytes)
  return z.strictObject({
    id: newIdOf('message', limits),
    /** `system`, `user`, `assistant` and `tool` are usual; any other is kept as it is. */
    role: short,
    kind: short.nullish(),
    sender: short.nullish(),
    recipient: short.nullish(),
    channel: short.nullish(),
    status: z.enum(messageStatuses).optional(),
    model: modelRef(limits).nullish(),
    agent: short.nullish(),
    usage: usageInput.nullish(),
    finishReason: short.nullish(),
    error: jsonValue.nullish(),
    /** What fired a turn that nobody typed. */
    trigger: jsonObject.nullish(),
    metadata: jsonObject.optional(),
    createdBy: short.nullish(),
    createdAt: epochMs.optional(),
    parts: z.array(part(limits)).max(limits.partsPerMessage),
  })
}
export type MessageInput = Given<ReturnType<typeof messageInput>>

export const appendOptions = (limits: Limits) =>
  z.strictObject({
    /** The branch to append to; the active one when left out. */
    branch: idOf('branch', limits).optional(),
    /** The message that must be the last one; `null` expects none. */
    after: idOf('message', limits).nullish(),
    signal: signal.optional(),
  })
export type AppendOptions = z.input<ReturnType<typeof appendOptions>>

/** What closes a message, once. A second, different settlement is `conflict`. */
export const messageSettlement = (limits: Limits) => {
  const short = columnText(limits.titleBytes)
  return z.strictObject({
    status: z.enum(['complete', 'interrupted', 'failed', 'cancelled']).optional(),
    usage: usageInput.optional(),
    finishReason: short.optional(),
    error: jsonValue.optional(),
    /** Merges at the top level, where null deletes the key; it may change also after the message has closed. */
    metadata: jsonObject.optional(),
  })
}
export type MessageSettlement = z.input<ReturnType<typeof messageSettlement>>

export const messageListOptions = (limits: Limits) =>
  z.strictObject({
    branch: idOf('branch', limits).optional(),
    before: z.string().optional(),
    after: z.string().optional(),
    around: idOf('message', limits).optional(),
    limit: z.int().min(1).max(limits.pageRows).optional(),
    signal: signal.optional(),
  })
export type MessageListOptions = z.input<ReturnType<typeof messageListOptions>>

export const iterateOptions = (limits: Limits) =>
  z.strictObject({
    branch: idOf('branch', limits).optional(),
    /** `all` gives every message the session owns, branch by branch, instead of one path. */
    branches: z.literal('all').optional(),
    signal: signal.optional(),
  })
export type IterateOptions = z.input<ReturnType<typeof iterateOptions>>

export interface Message {
  readonly id: string
  /** The session that owns the message. In a fork it is the one forked from, also after that one is gone. */
  readonly session: string
  readonly branch: string
  /** Its place on the path, from 1. It names a message only together with a branch. */
  readonly position: number
  readonly role: string
  readonly kind: string | null
  readonly sender: string | null
  readonly recipient: string | null
  readonly channel: string | null
  readonly status: MessageStatus
  readonly model: ModelRef | null
  readonly agent: string | null
  readonly usage: Usage | null
  readonly finishReason: string | null
  readonly error: JsonValue
  readonly trigger: JsonObject | null
  readonly metadata: JsonObject
  readonly createdBy: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly parts: readonly Part[]
}
