import { notFound } from '../errors.js'
import { copyJson } from '../json.js'
import type { PartInput, PartRecord, PartSettlement } from '../model/part.js'
import type { CallPlace } from '../ports/backend.js'
import type { Command } from '../ports/commands.js'
import type { PartRow } from '../ports/rows.js'
import type { Work } from '../work.js'
import { decide } from './decide.js'
import { journalEntry } from './events.js'
import { Family } from './family.js'
import { encodePart, partBounds, partRecordOf } from './message-rows.js'
import { parseObject } from './stored-json.js'
import { settledCall } from './tool-call.js'

/** Moves the nearest call with that id on the active path on, once for every branch that shows it. */
export async function settlePart(
  work: Work,
  session: string,
  toolCallId: string,
  given: PartSettlement,
): Promise<PartRecord> {
  const settlement = copyJson(given, partBounds(work), 'settlement')
  return decide(work, `calls of ${session}`, ['revision', 'message', 'session'], async () => {
    const place = await nearestCall(work, session, toolCallId)
    const located = await work.backend.messages.get(work.scope, place.message, work)
    const rows = located && (await work.backend.messages.parts(work.scope, place.message, work))
    const row = rows?.find(({ index }) => index === place.index)
    if (located === undefined || row === undefined) throw notFound('part', toolCallId)
    const { message, revision, gone } = located
    const settled = settledPart(work, row, settlement)
    if (settled === undefined) return { commands: [], result: () => partRecordOf(message.id, row) }
    const size = located.size - row.payloadJson.length + settled.payloadJson.length
    const commands: Command[] = [
      {
        type: 'settle-message',
        message: message.id,
        revision,
        at: Math.max(work.now, message.updatedAt),
        set: { size },
        parts: [settled],
      },
    ]
    const readers = gone ? [session] : new Set([session, message.session])
    for (const reader of readers) commands.push(journalEntry(work, reader, { type: 'settlement', message: message.id }))
    return { commands, result: () => partRecordOf(message.id, settled) }
  })
}

async function nearestCall(work: Work, session: string, toolCallId: string): Promise<CallPlace> {
  const family = await Family.of(work, session)
  const places = await work.backend.messages.calls(work.scope, toolCallId, work)
  let nearest: CallPlace | undefined
  for (const place of places)
    if (family.onPath(family.active, place) && place.position > (nearest?.position ?? 0)) nearest = place
  if (nearest === undefined) throw notFound('part', toolCallId)
  return nearest
}

/** The part with the settlement laid over it, or undefined when it stands so already. */
function settledPart(work: Work, row: PartRow, settlement: PartSettlement): PartRow | undefined {
  const settled = settledCall(parseObject<PartInput>(row.payloadJson), settlement)
  return settled && encodePart(work, settled, row.index, row.createdAt, Math.max(work.now, row.updatedAt)).row
}
