import { conflict, invalid, tooLarge } from '../errors.js'
import { encodeAndCopy, encodeJson, encodeJsonObject } from '../json.js'
import type { Message, MessageInput } from '../model/message.js'
import { isToolType, type Part, type PartInput, type PartRecord } from '../model/part.js'
import { completeUsage, type Usage } from '../model/usage.js'
import type { AppendedMessage } from '../ports/commands.js'
import type { MessageRow, PartRow, StoredMessage } from '../ports/rows.js'
import type { Work } from '../work.js'
import { metadataBounds } from './session-rows.js'
import { naming, parseObject, parseObjectOrNull, parseOrNull } from './stored-json.js'

export interface NewMessage extends AppendedMessage {
  readonly usage: Usage | null
  /** What a reader of the parts would get. */
  readonly payloads: readonly Part[]
}

/** A message of the caller's as rows, with a digest of what the caller said. */
export function newMessage(work: Work, input: MessageInput, replaced?: string): NewMessage {
  const usage = input.usage ? completeUsage(input.usage) : null
  const createdAt = input.createdAt ?? work.now
  const parts: PartRow[] = []
  const payloads: Part[] = []
  for (const part of input.parts) {
    const encoded = encodePart(work, part, parts.length, createdAt, createdAt)
    parts.push(encoded.row)
    payloads.push(encoded.payload)
  }
  assertDistinctCalls(parts)
  const errorJson = input.error == null ? null : encodeJson(input.error, metadataBounds(work), 'message.error')
  const triggerJson = input.trigger ? encodeJsonObject(input.trigger, metadataBounds(work), 'message.trigger') : null
  const metadataJson = input.metadata
    ? encodeJsonObject(input.metadata, metadataBounds(work), 'message.metadata')
    : '{}'
  let size = sizeOfColumns({ errorJson, triggerJson, metadataJson })
  for (const { payloadJson } of parts) size += payloadJson.length
  const message = {
    id: input.id ?? work.mint('msg'),
    role: input.role,
    kind: input.kind ?? null,
    sender: input.sender ?? null,
    recipient: input.recipient ?? null,
    channel: input.channel ?? null,
    status: input.status ?? 'complete',
    modelJson: input.model ? JSON.stringify(input.model) : null,
    agent: input.agent ?? null,
    usageJson: usage ? JSON.stringify(usage) : null,
    finishReason: input.finishReason ?? null,
    errorJson,
    triggerJson,
    metadataJson,
    createdBy: input.createdBy ?? null,
    createdAt,
    updatedAt: createdAt,
    size,
    // Last: only what could be encoded can be digested.
    digest: work.digest(replaced === undefined ? input : { ...input, edit: replaced }),
  }
  return { message, parts, usage, payloads }
}

/** The characters of what may be long in a message beside its parts. */
export function sizeOfColumns(row: Pick<MessageRow, 'errorJson' | 'triggerJson' | 'metadataJson'>): number {
  return (row.errorJson?.length ?? 0) + (row.triggerJson?.length ?? 0) + row.metadataJson.length
}

function assertDistinctCalls(parts: readonly PartRow[]): void {
  if (parts.length < 2) return
  const calls = parts.flatMap(({ toolCallId }) => toolCallId ?? [])
  if (new Set(calls).size < calls.length)
    throw invalid('Two parts of one message have the same toolCallId.', 'message.parts')
}

export function partBounds(work: Work) {
  return { depth: work.limits.jsonDepth, bytes: work.limits.partBytes }
}

/** A part as a row, and what a reader of it would get. */
export function encodePart(work: Work, part: PartInput, index: number, createdAt: number, updatedAt: number) {
  const { text, copy } = encodeAndCopy(part, partBounds(work), `message.parts[${index}]`)
  const { state } = part
  const row: PartRow = {
    index,
    type: part.type,
    toolCallId: isToolType(part.type) ? String(part.toolCallId) : null,
    // The state of a known part was validated; that of an unknown one is data and stays in the payload.
    state:
      typeof state === 'string' && (isToolType(part.type) || part.type === 'text' || part.type === 'reasoning')
        ? state
        : null,
    createdAt,
    updatedAt,
    payloadJson: text,
  }
  // A copy of a part that was validated is a part.
  return { row, payload: copy as unknown as Part }
}

export function messageOf(row: StoredMessage): Message {
  try {
    return messageAtPlace(row, row, row.payloads.map(parseObject<Part>))
  } catch (error) {
    throw naming(error, 'message', row.id)
  }
}

/** What a read would return of a message that was just written; nothing in it is the caller's own object. */
export function writtenMessage({ message, payloads }: NewMessage, place: MessagePlace): Message {
  return messageAtPlace(message, place, payloads)
}

interface MessagePlace {
  readonly session: string
  readonly branch: string
  readonly position: number
}

// Field by field: on this path every message of every read passes, and spreading rows costs more than parsing them.
function messageAtPlace(
  row: Omit<MessageRow, 'digest' | 'size'>,
  place: MessagePlace,
  parts: readonly Part[],
): Message {
  return {
    id: row.id,
    session: place.session,
    branch: place.branch,
    position: place.position,
    role: row.role,
    kind: row.kind,
    sender: row.sender,
    recipient: row.recipient,
    channel: row.channel,
    status: row.status,
    model: parseObjectOrNull(row.modelJson),
    agent: row.agent,
    usage: parseObjectOrNull(row.usageJson),
    finishReason: row.finishReason,
    error: parseOrNull(row.errorJson),
    trigger: parseObjectOrNull(row.triggerJson),
    metadata: row.metadataJson === '{}' ? {} : parseObject(row.metadataJson),
    createdBy: row.createdBy,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    parts,
  }
}

export function partRecordOf(message: string, row: PartRow): PartRecord {
  return {
    id: `${message}.${row.index}`,
    index: row.index,
    type: row.type,
    toolCallId: row.toolCallId,
    state: row.state,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    payload: parseObject(row.payloadJson),
  }
}

/** Refuses ids that stand twice in one call: each would be the other's replay. */
export function assertDistinctIds(messages: readonly NewMessage[], limit: number): void {
  if (messages.length > limit) throw tooLarge('messages', limit, 'messages')
  const ids = new Set(messages.map(({ message }) => message.id))
  if (ids.size !== messages.length) throw conflict('Two messages of one call have the same id.', { entity: 'message' })
}
