import { z } from 'zod'
import type { JsonObject } from '../json.js'
import type { Limits } from '../limits.js'
import { columnText, count, epochMs, freeText, type Given, idOf, jsonObject, newIdOf, signal } from './primitives.js'
import { type Usage, usageInput } from './usage.js'

export const sessionStatuses = ['idle', 'running', 'waiting', 'completed', 'failed', 'cancelled'] as const
export type SessionStatus = (typeof sessionStatuses)[number]

const oneOrSeveral = z.union([
  z.enum(sessionStatuses),
  z.array(z.enum(sessionStatuses)).min(1).max(sessionStatuses.length),
])

/** A session in a terminal status changes it only by an override, which its history records. */
export const terminalStatuses: ReadonlySet<SessionStatus> = new Set(['completed', 'failed', 'cancelled'])

export const provenanceFields = ['playbook', 'invocationKind', 'topic', 'step', 'artifactsPath'] as const
export type Provenance = Readonly<Record<(typeof provenanceFields)[number], string | null>>

export const modelRef = (limits: Limits) =>
  z.strictObject({
    provider: columnText(limits.titleBytes),
    id: columnText(limits.titleBytes),
    variant: columnText(limits.titleBytes).optional(),
  })
export type ModelRef = z.output<ReturnType<typeof modelRef>>

const participant = (limits: Limits) =>
  z.strictObject({ userId: columnText(limits.idBytes), role: columnText(limits.titleBytes).optional() })
export type Participant = z.output<ReturnType<typeof participant>>

const permissionRule = (limits: Limits) =>
  z.strictObject({
    permission: columnText(limits.titleBytes),
    pattern: columnText(limits.pathBytes),
    action: z.enum(['allow', 'deny', 'ask']),
    source: columnText(limits.titleBytes).optional(),
  })
export type PermissionRule = z.output<ReturnType<typeof permissionRule>>

/** How a session came from another: three different relations. It is history: the other may be gone. */
export interface Lineage {
  readonly relation: 'fork' | 'continuation' | 'spawn'
  readonly session: string
  readonly message: string | null
}

/** Where a host keeps the messages that it does not keep here. The store does not interpret it. */
const transcript = (limits: Limits) =>
  z.strictObject({ format: columnText(limits.titleBytes), uri: columnText(limits.pathBytes), messageCount: count })
export type Transcript = z.output<ReturnType<typeof transcript>>

const provenanceInput = (limits: Limits) =>
  z.strictObject({
    playbook: columnText(limits.titleBytes).nullish(),
    invocationKind: columnText(limits.titleBytes).nullish(),
    topic: columnText(limits.titleBytes).nullish(),
    step: columnText(limits.titleBytes).nullish(),
    artifactsPath: columnText(limits.pathBytes).nullish(),
  })

/** The fields that a host describes a session with, at creation and by patches. */
const descriptive = (limits: Limits) => {
  const short = columnText(limits.titleBytes)
  const path = columnText(limits.pathBytes)
  return {
    agent: short.nullish(),
    title: columnText(limits.titleBytes, { empty: true }).nullish(),
    titledBy: z.enum(['agent', 'user']).nullish(),
    kind: short.optional(),
    source: short.nullish(),
    type: z.enum(['direct', 'group']).optional(),
    interactive: z.boolean().optional(),
    participants: z.array(participant(limits)).optional(),
    mode: short.nullish(),
    model: modelRef(limits).nullish(),
    workingDirectory: path.nullish(),
    root: path.nullish(),
    externalRef: short.nullish(),
    permissions: z.array(permissionRule(limits)).optional(),
    provenance: provenanceInput(limits).optional(),
    summary: freeText.nullish(),
    workingMemory: freeText.nullish(),
    transcript: transcript(limits).nullish(),
    startedAt: epochMs.nullish(),
    endedAt: epochMs.nullish(),
  }
}

export const sessionInput = (limits: Limits) =>
  z.strictObject({
    ...descriptive(limits),
    id: newIdOf('session', limits),
    createdBy: columnText(limits.titleBytes).nullish(),
    lineage: z
      .strictObject({
        // A continuation may name a session of another store: history, so it is no id that must exist.
        relation: z.enum(['continuation', 'spawn']),
        session: columnText(limits.idBytes),
        message: columnText(limits.idBytes).nullish(),
      })
      .nullish(),
    tags: z.array(columnText(limits.tagBytes)).optional(),
    folders: z.array(columnText(limits.pathBytes)).optional(),
    metadata: jsonObject.optional(),
    usage: usageInput.optional(),
    createdAt: epochMs.optional(),
    updatedAt: epochMs.optional(),
    lastActivityAt: epochMs.optional(),
  })
export type SessionInput = Given<ReturnType<typeof sessionInput>>

/** `undefined` keeps, `null` clears. `metadata` merges at the top level, where null deletes the key. */
export const sessionPatch = (limits: Limits) =>
  z.strictObject({ ...descriptive(limits), metadata: jsonObject.optional() })
export type SessionPatch = Given<ReturnType<typeof sessionPatch>>

export const forkInput = (limits: Limits) =>
  z.strictObject({
    ...descriptive(limits),
    /** The last message kept; `null` keeps none; left out, all are kept. */
    at: idOf('message', limits).nullish(),
    id: newIdOf('session', limits),
    branch: idOf('branch', limits).optional(),
    createdBy: columnText(limits.titleBytes).nullish(),
    metadata: jsonObject.optional(),
  })
export type ForkInput = Given<ReturnType<typeof forkInput>>

export const sessionFilter = (limits: Limits) => {
  const short = columnText(limits.titleBytes)
  const path = columnText(limits.pathBytes)
  return z.strictObject({
    agent: short.optional(),
    kind: short.optional(),
    source: short.optional(),
    type: z.enum(['direct', 'group']).optional(),
    status: oneOrSeveral.optional(),
    tag: columnText(limits.tagBytes).optional(),
    folder: path.optional(),
    /** Whether sessions in folders below `folder` count too. */
    descendants: z.boolean().optional(),
    participant: columnText(limits.idBytes).optional(),
    createdBy: short.optional(),
    /** The session in the lineage. */
    parent: columnText(limits.idBytes).optional(),
    workingDirectory: path.optional(),
    root: path.optional(),
    externalRef: short.optional(),
    provenance: z
      .strictObject({
        playbook: short.optional(),
        invocationKind: short.optional(),
        topic: short.optional(),
        step: short.optional(),
        artifactsPath: path.optional(),
      })
      .optional(),
    /** A part of the title; case and accents do not matter. */
    title: short.optional(),
    /** `false` (the default) leaves archived sessions out, `true` gives only them, `'any'` both. */
    archived: z.union([z.boolean(), z.literal('any')]).optional(),
    activeAfter: epochMs.optional(),
    activeBefore: epochMs.optional(),
    createdAfter: epochMs.optional(),
    createdBefore: epochMs.optional(),
  })
}
export type SessionFilter = Given<ReturnType<typeof sessionFilter>>

export const sessionListOptions = (limits: Limits) =>
  sessionFilter(limits).extend({
    limit: z.int().min(1).max(limits.pageRows).optional(),
    cursor: z.string().optional(),
    /** By last activity: `newest` first is the default. */
    order: z.enum(['newest', 'oldest']).optional(),
    with: z.array(z.enum(['lastMessage'])).optional(),
    signal: signal.optional(),
  })
export type SessionListOptions = Given<ReturnType<typeof sessionListOptions>>

export const statusChange = (_limits: Limits) =>
  z.strictObject({
    /** The status, or one of several, that the session must be in. */
    from: oneOrSeveral,
    to: z.enum(sessionStatuses),
    reason: freeText.optional(),
    /** Needed to leave a terminal status; the history records it. */
    override: z.boolean().optional(),
  })
export type StatusChange = Given<ReturnType<typeof statusChange>>

/** One change of status, as the journal tells it. */
export interface StatusEntry {
  readonly seq: number
  readonly from: SessionStatus
  readonly to: SessionStatus
  readonly reason: string | null
  readonly override: boolean
  readonly at: number
}

export interface LastMessage {
  readonly id: string
  readonly role: string
  readonly at: number
  /** The beginning of its text: at most 200 code points. */
  readonly preview: string
}

export interface Session {
  readonly id: string
  readonly agent: string | null
  readonly title: string | null
  readonly titledBy: 'agent' | 'user' | null
  readonly kind: string
  readonly source: string | null
  readonly type: 'direct' | 'group'
  readonly interactive: boolean
  readonly createdBy: string | null
  readonly participants: readonly Participant[]
  readonly mode: string | null
  readonly model: ModelRef | null
  readonly workingDirectory: string | null
  readonly root: string | null
  readonly lineage: Lineage | null
  readonly externalRef: string | null
  readonly permissions: readonly PermissionRule[]
  readonly provenance: Provenance
  readonly summary: string | null
  readonly workingMemory: string | null
  readonly usage: Usage
  /** The number of messages on the active path. */
  readonly messageCount: number
  readonly transcript: Transcript | null
  readonly metadata: JsonObject
  readonly status: SessionStatus
  readonly statusReason: string | null
  readonly activeBranch: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly lastActivityAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly archivedAt: number | null
  /** Raised by every patch of the session's own fields, and by nothing else. */
  readonly version: number
  /** Present when a list was asked `with: ['lastMessage']`; null in a session without messages. */
  readonly lastMessage?: LastMessage | null
}
