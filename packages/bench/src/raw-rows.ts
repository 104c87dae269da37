import type { Message, Part, Session } from '@holdfast/core'

// The columns that a program of one's own reads, and the objects it makes of them.

export type Row = readonly (string | number | null)[]

export const messageColumns = `position, id, role, kind, sender, recipient, channel, status, model_json, agent, usage_json,
  finish_reason, error_json, trigger_json, metadata_json, created_by, created_at, updated_at`

export const sessionColumns = `s.id, s.agent, s.title, s.titled_by, s.kind, s.source, s.type, s.interactive, s.created_by,
  s.participants_json, s.mode, s.model_json, s.working_directory, s.root, s.lineage_relation, s.lineage_session,
  s.lineage_message, s.external_ref, s.permissions_json, s.playbook, s.invocation_kind, s.topic, s.step, s.artifacts_path,
  s.summary_json, s.working_memory_json, s.usage_input, s.usage_output, s.usage_reasoning, s.usage_cache_read,
  s.usage_cache_write, s.usage_total, s.usage_cost, b.head, s.transcript_json, s.metadata_json, s.status,
  s.status_reason_json, b.id, s.created_at, s.updated_at, s.last_activity_at, s.started_at, s.ended_at, s.archived_at,
  s.version`

const json = (text: string | number | null | undefined) => (typeof text === 'string' ? JSON.parse(text) : null)

// The casts say what the columns hold.
export function messageOf(row: Row, session: string, branch: string, parts: readonly Part[]): Message {
  return {
    id: row[1],
    session,
    branch,
    position: row[0],
    role: row[2],
    kind: row[3],
    sender: row[4],
    recipient: row[5],
    channel: row[6],
    status: row[7],
    model: json(row[8]),
    agent: row[9],
    usage: json(row[10]),
    finishReason: row[11],
    error: json(row[12]),
    trigger: json(row[13]),
    metadata: json(row[14]),
    createdBy: row[15],
    createdAt: row[16],
    updatedAt: row[17],
    parts,
  } as Message
}

export function sessionOf(row: Row): Session {
  return {
    id: row[0],
    agent: row[1],
    title: row[2],
    titledBy: row[3],
    kind: row[4],
    source: row[5],
    type: row[6],
    interactive: row[7] === 1,
    createdBy: row[8],
    participants: json(row[9]),
    mode: row[10],
    model: json(row[11]),
    workingDirectory: row[12],
    root: row[13],
    lineage: row[14] === null ? null : { relation: row[14], session: row[15], message: row[16] },
    externalRef: row[17],
    permissions: json(row[18]),
    provenance: { playbook: row[19], invocationKind: row[20], topic: row[21], step: row[22], artifactsPath: row[23] },
    summary: json(row[24]),
    workingMemory: json(row[25]),
    usage: {
      input: row[26],
      output: row[27],
      reasoning: row[28],
      cacheRead: row[29],
      cacheWrite: row[30],
      total: row[31],
      cost: row[32],
    },
    messageCount: row[33],
    transcript: json(row[34]),
    metadata: json(row[35]),
    status: row[36],
    statusReason: json(row[37]),
    activeBranch: row[38],
    createdAt: row[39],
    updatedAt: row[40],
    lastActivityAt: row[41],
    startedAt: row[42],
    endedAt: row[43],
    archivedAt: row[44],
    version: row[45],
  } as Session
}
