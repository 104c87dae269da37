import type { Group } from './behaviour.js'
import { admin } from './behaviours/admin.js'
import { approvals } from './behaviours/approvals.js'
import { badInput } from './behaviours/bad-input.js'
import { batch } from './behaviours/batch.js'
import { branches } from './behaviours/branches.js'
import { concurrency } from './behaviours/concurrency.js'
import { cursors } from './behaviours/cursors.js'
import { deletion } from './behaviours/deletion.js'
import { folders } from './behaviours/folders.js'
import { forks } from './behaviours/forks.js'
import { idempotency } from './behaviours/idempotency.js'
import { isolation } from './behaviours/isolation.js'
import { journal } from './behaviours/journal.js'
import { json } from './behaviours/json.js'
import { largePages } from './behaviours/large-pages.js'
import { lifecycle } from './behaviours/lifecycle.js'
import { limits } from './behaviours/limits.js'
import { messages } from './behaviours/messages.js'
import { model } from './behaviours/model.js'
import { observe } from './behaviours/observe.js'
import { parts } from './behaviours/parts.js'
import { processes } from './behaviours/processes.js'
import { reading } from './behaviours/reading.js'
import { reopening } from './behaviours/reopening.js'
import { rewind } from './behaviours/rewind.js'
import { sessionFilters } from './behaviours/session-filters.js'
import { sessionLists } from './behaviours/session-lists.js'
import { sessionPatches } from './behaviours/session-patches.js'
import { sessions } from './behaviours/sessions.js'
import { settlement } from './behaviours/settlement.js'
import { sharing } from './behaviours/sharing.js'
import { status } from './behaviours/status.js'
import { tags } from './behaviours/tags.js'
import { time } from './behaviours/time.js'
import { toolCalls } from './behaviours/tool-calls.js'
import { usage } from './behaviours/usage.js'
import { describeGroups } from './describe-conformance.js'
import type { Harness } from './harness.js'

export type { Behaviour, Group, Requirement } from './behaviour.js'
export { type Context, carryOut } from './context.js'
export type { ConformanceMeta } from './describe-conformance.js'
export type { Harness, Place } from './harness.js'

/** The contract, in reading order. */
export const groups: readonly Group[] = [
  sessions,
  sessionPatches,
  sessionFilters,
  sessionLists,
  status,

  branches,
  rewind,
  forks,

  messages,
  reading,
  parts,
  toolCalls,
  approvals,
  settlement,
  deletion,

  tags,
  folders,
  journal,
  usage,

  batch,
  idempotency,
  json,
  limits,
  largePages,
  cursors,
  time,

  isolation,
  badInput,

  lifecycle,
  observe,
  admin,
  reopening,
  sharing,
  processes,
  concurrency,

  model,
]

/**
 * Registers the whole contract as tests of one backend.
 *
 * @example
 * ```ts
 * import { describeConformance } from '@holdfast/conformance'
 * import { harness } from './harness.js'
 *
 * describeConformance(harness)
 * ```
 */
export function describeConformance(harness: Harness): void {
  describeGroups(harness, groups)
}
