import type { MessageRow, PartRow, StoredMessage } from '@holdfast/core'
import type { SqlRow } from '../executor.js'
import { type Database, messages, parts } from '../schema/tables.js'
import { type Cells, fieldsOf } from './columns.js'

export const messageFields = fieldsOf<MessageRow, (typeof messages)['columns']>(messages, [
  'id',
  'digest',
  'role',
  'kind',
  'sender',
  'recipient',
  'channel',
  'status',
  'modelJson',
  'agent',
  'usageJson',
  'finishReason',
  'errorJson',
  'triggerJson',
  'metadataJson',
  'createdBy',
  'createdAt',
  'updatedAt',
  'size',
])

export const messageColumns = [
  'position',
  'id',
  'role',
  'kind',
  'sender',
  'recipient',
  'channel',
  'status',
  'model_json',
  'agent',
  'usage_json',
  'finish_reason',
  'error_json',
  'trigger_json',
  'metadata_json',
  'created_by',
  'created_at',
  'updated_at',
] as const

type Known = Omit<Database['holdfast_messages'], 'status'> & Pick<StoredMessage, 'status'>
type MessageCells = Cells<Known, typeof messageColumns>

/** Where a message lives, by public ids. They come from the few branches of a page, not from every row. */
export interface Home {
  readonly branch: string
  readonly session: string
}

export function messageFrom(row: SqlRow, home: Home, payloads: readonly string[]): StoredMessage {
  // The select list begins with `messageColumns`. By index: to take an array apart by its iterator costs more than the
  // rest of this.
  const cells = row as unknown as MessageCells
  return {
    session: home.session,
    branch: home.branch,
    position: cells[0],
    id: cells[1],
    role: cells[2],
    kind: cells[3],
    sender: cells[4],
    recipient: cells[5],
    channel: cells[6],
    status: cells[7],
    modelJson: cells[8],
    agent: cells[9],
    usageJson: cells[10],
    finishReason: cells[11],
    errorJson: cells[12],
    triggerJson: cells[13],
    metadataJson: cells[14],
    createdBy: cells[15],
    createdAt: cells[16],
    updatedAt: cells[17],
    payloads,
  }
}

/** A row of the parts table: one part, or one piece of a long one. */
export interface PartChunk extends PartRow {
  readonly chunk: number
}

export const partFields = fieldsOf<PartRow, (typeof parts)['columns']>(parts, [
  'index',
  'type',
  'state',
  'createdAt',
  'updatedAt',
])

export const partColumns = [
  'index',
  'chunk',
  'type',
  'tool_call_id',
  'state',
  'created_at',
  'updated_at',
  'payload_json',
] as const

type PartCells = Cells<Database['holdfast_parts'], typeof partColumns>

export function partFrom(row: SqlRow): PartChunk {
  // The select list is `partColumns`.
  const [index, chunk, type, toolCallId, state, createdAt, updatedAt, payloadJson] = row as unknown as PartCells
  return { index, chunk, type, toolCallId, state, createdAt, updatedAt, payloadJson }
}
