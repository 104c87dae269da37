import { conflict, notFound } from '../errors.js'
import { copyJson, encodeJson, type JsonObject, sameJson } from '../json.js'
import type { Message, MessageSettlement } from '../model/message.js'
import { completeUsage, type Usage } from '../model/usage.js'
import type { Command } from '../ports/commands.js'
import type { MessageColumns, StoredMessage } from '../ports/rows.js'
import type { Work } from '../work.js'
import { decide } from './decide.js'
import { journalEntry } from './events.js'
import { messageOf, sizeOfColumns } from './message-rows.js'
import { mergeMetadata, metadataBounds } from './session-rows.js'
import { parse, parseOrNull } from './stored-json.js'

/** Closes a message once: a field that stands already must be the same, or the call is refused. */
export async function settleMessage(work: Work, id: string, given: MessageSettlement): Promise<Message> {
  const settlement = prepared(work, given)
  return decide(work, `message ${id}`, ['revision', 'session'], async () => {
    const located = await work.backend.messages.get(work.scope, id, work)
    if (located === undefined) throw notFound('message', id)
    const { message: row, revision, gone } = located
    const { set, usage } = settledColumns(work, row, settlement)
    if (Object.keys(set).length === 0) return { commands: [], result: () => messageOf(row) }
    const at = Math.max(work.now, row.updatedAt)
    const size = located.size - sizeOfColumns(row) + sizeOfColumns({ ...row, ...set })
    const commands: Command[] = [
      { type: 'settle-message', message: id, revision, at, set: { ...set, size }, parts: [] },
    ]
    // What a deleted session spent or did is gone with it; its message lives on in the forks that show it.
    if (!gone) {
      if (usage) commands.push({ type: 'add-usage', session: row.session, usage })
      commands.push(journalEntry(work, row.session, { type: 'settlement', message: id }))
    }
    return { commands, result: () => messageOf({ ...row, ...set, updatedAt: at }) }
  })
}

interface Prepared {
  readonly status: string | undefined
  readonly usage: Usage | undefined
  readonly finishReason: string | undefined
  readonly errorJson: string | undefined
  readonly metadata: JsonObject | undefined
}

/** What was said, encoded and copied before anything is read. */
function prepared(work: Work, { status, usage, finishReason, error, metadata }: MessageSettlement): Prepared {
  return {
    status,
    usage: usage && completeUsage(usage),
    finishReason,
    errorJson: error == null ? undefined : encodeJson(error, metadataBounds(work), 'settlement.error'),
    metadata: metadata && copyJson(metadata, metadataBounds(work), 'settlement.metadata'),
  }
}

function settledColumns(work: Work, row: StoredMessage, settlement: Prepared) {
  const { status, usage, finishReason, errorJson, metadata } = settlement
  const said = [
    ['status', status, row.status === 'streaming'],
    ['usageJson', usage && JSON.stringify(usage), row.usageJson === null],
    ['finishReason', finishReason, row.finishReason === null],
    ['errorJson', errorJson, row.errorJson === null],
  ] as const
  const set: Record<string, string> = {}
  for (const [column, value, open] of said) {
    if (value === undefined || value === row[column]) continue
    if (column === 'errorJson' && sameJson(parseOrNull(row.errorJson), parse(value))) continue
    if (!open) throw conflict('The message is settled already, and otherwise.', { entity: 'message', id: row.id })
    set[column] = value
  }
  const merged = metadata && mergeMetadata(work, row.metadataJson, metadata)
  if (merged !== undefined && merged !== row.metadataJson) set.metadataJson = merged
  // Each column was set from a value of its type.
  return { set: set as MessageColumns, usage: set.usageJson === undefined ? undefined : usage }
}
