import { z } from 'zod'
import type { JsonObject, JsonValue } from '../json.js'
import type { Limits } from '../limits.js'
import { columnText, epochMs, idOf, jsonObject, jsonValue, newIdOf } from './primitives.js'

/** What made a branch. All of them are one mechanism: a pointer at a position. */
export type BranchOrigin = 'root' | 'fork' | 'rewind' | 'edit' | 'regenerate'

const descriptive = (limits: Limits) => ({
  name: columnText(limits.titleBytes).nullish(),
  /** The agent's configuration on this branch; the store does not interpret it. */
  agentConfig: jsonValue.nullish(),
  systemMessage: idOf('message', limits).nullish(),
  status: columnText(limits.titleBytes).nullish(),
  startedAt: epochMs.nullish(),
  endedAt: epochMs.nullish(),
  metadata: jsonObject.optional(),
})

export const branchInput = (limits: Limits) =>
  z.strictObject({
    ...descriptive(limits),
    id: newIdOf('branch', limits),
    /** The last message kept; `null` keeps none; left out, all of `from` are kept. */
    at: idOf('message', limits).nullish(),
    /** The branch to continue from; the active one when left out. */
    from: idOf('branch', limits).optional(),
    activate: z.boolean().optional(),
    createdBy: columnText(limits.titleBytes).nullish(),
  })
export type BranchInput = z.input<ReturnType<typeof branchInput>>

export const branchPatch = (limits: Limits) => z.strictObject(descriptive(limits))
export type BranchPatch = z.input<ReturnType<typeof branchPatch>>

export const rewindInput = (limits: Limits) =>
  z.strictObject({
    /** The last message kept; `null` rewinds to the beginning. */
    at: idOf('message', limits).nullable(),
    id: newIdOf('branch', limits),
    createdBy: columnText(limits.titleBytes).nullish(),
  })
export type RewindInput = z.input<ReturnType<typeof rewindInput>>

export const regenerateInput = (limits: Limits) =>
  z.strictObject({ id: newIdOf('branch', limits), createdBy: columnText(limits.titleBytes).nullish() })
export type RegenerateInput = z.input<ReturnType<typeof regenerateInput>>

export interface Branch {
  readonly id: string
  readonly session: string
  readonly active: boolean
  readonly name: string | null
  readonly origin: BranchOrigin
  /** The branch that owns the message at `base`. It is history when it belongs to a deleted session. */
  readonly parent: string | null
  /** How many messages are shared with the parent; the branch's own begin at `base + 1`. */
  readonly base: number
  /** The number of messages on the branch's path. */
  readonly head: number
  /** The branch that was active when a rewind, an edit or a regeneration made this one; undo returns to it. */
  readonly replaces: string | null
  readonly agentConfig: JsonValue
  readonly systemMessage: string | null
  readonly status: string | null
  readonly metadata: JsonObject
  readonly createdBy: string | null
  readonly createdAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly version: number
}

/** One of the messages that follow the same message on different branches, for a branch switcher. */
export interface Sibling {
  readonly branch: string
  readonly message: string
  readonly active: boolean
}
