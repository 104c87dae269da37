import { encodeJson, encodeJsonObject, type JsonObject } from '../json.js'
import { type Lineage, provenanceFields, type Session, type SessionInput, type SessionPatch } from '../model/session.js'
import { completeUsage, noUsage } from '../model/usage.js'
import type { SessionColumns, SessionRow, StoredSession } from '../ports/rows.js'
import { foldText } from '../text.js'
import type { Work } from '../work.js'
import { naming, parseObject, parseObjectOrNull, parseOrNull } from './stored-json.js'

/** The row of a new session. */
export function sessionRow(work: Work, id: string, input: SessionInput): SessionRow {
  const createdAt = input.createdAt ?? work.now
  const usage = input.usage ? completeUsage(input.usage) : noUsage
  return {
    ...blankSession,
    ...sessionColumns(work, input),
    id,
    createdBy: input.createdBy ?? null,
    metadataJson: encodeJsonObject(input.metadata ?? {}, metadataBounds(work), 'input.metadata'),
    lineageRelation: input.lineage?.relation ?? null,
    lineageSession: input.lineage?.session ?? null,
    lineageMessage: input.lineage?.message ?? null,
    usageInput: usage.input,
    usageOutput: usage.output,
    usageReasoning: usage.reasoning,
    usageCacheRead: usage.cacheRead,
    usageCacheWrite: usage.cacheWrite,
    usageTotal: usage.total,
    usageCost: usage.cost,
    createdAt,
    updatedAt: input.updatedAt ?? createdAt,
    lastActivityAt: input.lastActivityAt ?? createdAt,
    // Last: only what could be encoded can be digested.
    digest: work.digest(input),
  }
}

const blankSession: Omit<
  SessionRow,
  'id' | 'digest' | 'createdBy' | 'metadataJson' | 'createdAt' | 'updatedAt' | 'lastActivityAt'
> = {
  agent: null,
  title: null,
  titleFolded: null,
  titledBy: null,
  kind: 'chat',
  source: null,
  type: 'direct',
  interactive: true,
  participantsJson: '[]',
  mode: null,
  modelJson: null,
  workingDirectory: null,
  root: null,
  lineageRelation: null,
  lineageSession: null,
  lineageMessage: null,
  externalRef: null,
  permissionsJson: '[]',
  playbook: null,
  invocationKind: null,
  topic: null,
  step: null,
  artifactsPath: null,
  summaryJson: null,
  workingMemoryJson: null,
  transcriptJson: null,
  status: 'idle',
  statusReasonJson: null,
  usageInput: 0,
  usageOutput: 0,
  usageReasoning: 0,
  usageCacheRead: 0,
  usageCacheWrite: 0,
  usageTotal: 0,
  usageCost: 0,
  startedAt: null,
  endedAt: null,
  archivedAt: null,
  version: 1,
}

const plainColumns = [
  'agent',
  'titledBy',
  'kind',
  'source',
  'type',
  'interactive',
  'mode',
  'workingDirectory',
  'root',
  'externalRef',
  'startedAt',
  'endedAt',
] as const

const jsonColumns = [
  ['participants', 'participantsJson'],
  ['model', 'modelJson'],
  ['permissions', 'permissionsJson'],
  ['summary', 'summaryJson'],
  ['workingMemory', 'workingMemoryJson'],
  ['transcript', 'transcriptJson'],
] as const

/** The columns that an input or a patch says something about: `undefined` says nothing, `null` clears. */
export function sessionColumns(work: Work, given: SessionPatch): SessionColumns {
  const set: Record<string, string | number | boolean | null> = {}
  for (const column of plainColumns) {
    const value = given[column]
    if (value !== undefined) set[column] = value
  }
  for (const [field, column] of jsonColumns) {
    const value = given[field]
    if (value !== undefined) set[column] = value === null ? null : encodeJson(value, metadataBounds(work), field)
  }
  if (given.title !== undefined) {
    set.title = given.title
    set.titleFolded = foldedTitle(given.title)
  }
  for (const field of provenanceFields) {
    const value = given.provenance?.[field]
    if (value !== undefined) set[field] = value
  }
  return set
}

export function foldedTitle(title: string | null): string | null {
  return title === null ? null : foldText(title)
}

export function metadataBounds(work: Work) {
  return { depth: work.limits.jsonDepth, bytes: work.limits.metadataBytes }
}

/** Top-level merge of a patch that was checked, where null deletes the key. */
export function mergeMetadata(work: Work, storedJson: string, patch: JsonObject): string {
  const entries = new Map(Object.entries(parseObject<JsonObject>(storedJson)))
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue
    if (value === null) entries.delete(key)
    else entries.set(key, value)
  }
  // fromEntries defines properties, so a `__proto__` key stays data.
  return encodeJsonObject(Object.fromEntries(entries), metadataBounds(work), 'patch.metadata')
}

export function sessionOf(row: StoredSession): Session {
  try {
    return readSession(row)
  } catch (error) {
    throw naming(error, 'session', row.id)
  }
}

function readSession(row: StoredSession): Session {
  return {
    id: row.id,
    agent: row.agent,
    title: row.title,
    titledBy: row.titledBy as Session['titledBy'],
    kind: row.kind,
    source: row.source,
    type: row.type as Session['type'],
    interactive: row.interactive,
    createdBy: row.createdBy,
    participants: row.participantsJson === '[]' ? [] : parseObject(row.participantsJson),
    mode: row.mode,
    model: parseObjectOrNull(row.modelJson),
    workingDirectory: row.workingDirectory,
    root: row.root,
    lineage: lineageOf(row),
    externalRef: row.externalRef,
    permissions: row.permissionsJson === '[]' ? [] : parseObject(row.permissionsJson),
    provenance: {
      playbook: row.playbook,
      invocationKind: row.invocationKind,
      topic: row.topic,
      step: row.step,
      artifactsPath: row.artifactsPath,
    },
    summary: parseOrNull(row.summaryJson),
    workingMemory: parseOrNull(row.workingMemoryJson),
    usage: {
      input: row.usageInput,
      output: row.usageOutput,
      reasoning: row.usageReasoning,
      cacheRead: row.usageCacheRead,
      cacheWrite: row.usageCacheWrite,
      total: row.usageTotal,
      cost: row.usageCost,
    },
    messageCount: row.messageCount,
    transcript: parseObjectOrNull(row.transcriptJson),
    metadata: row.metadataJson === '{}' ? {} : parseObject(row.metadataJson),
    status: row.status,
    statusReason: parseOrNull(row.statusReasonJson),
    activeBranch: row.activeBranch,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    lastActivityAt: row.lastActivityAt,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    archivedAt: row.archivedAt,
    version: row.version,
  }
}

/** The characters of what may be long in a session. Column by column: every session of every list passes here. */
export function sessionSize(row: StoredSession): number {
  return (
    row.participantsJson.length +
    row.permissionsJson.length +
    row.metadataJson.length +
    lengthOf(row.summaryJson) +
    lengthOf(row.workingMemoryJson) +
    lengthOf(row.statusReasonJson) +
    lengthOf(row.transcriptJson) +
    lengthOf(row.modelJson) +
    lengthOf(row.title) +
    lengthOf(row.workingDirectory) +
    lengthOf(row.root) +
    lengthOf(row.artifactsPath)
  )
}

function lengthOf(text: string | null): number {
  return text === null ? 0 : text.length
}

function lineageOf(row: StoredSession): Lineage | null {
  if (row.lineageRelation === null || row.lineageSession === null) return null
  return {
    relation: row.lineageRelation as Lineage['relation'],
    session: row.lineageSession,
    message: row.lineageMessage,
  }
}
