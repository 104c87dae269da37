import { conflict, notFound } from '../errors.js'
import { copyJson } from '../json.js'
import { finalToolStates, type Part, type PartRecord, type PartSettlement, type ToolState } from '../model/part.js'
import type { CallPlace } from '../ports/backend.js'
import type { Command } from '../ports/commands.js'
import type { PartRow } from '../ports/rows.js'
import type { Work } from '../work.js'
import { decide } from './draft.js'
import { journalEntry } from './events.js'
import { Family } from './family.js'
import { encodePart, partBounds, partRecordOf } from './message-rows.js'
import { parse } from './session-rows.js'

/** Moves the nearest call with that id on the active path on, once for every branch that shows it. */
export async function settlePart(
  work: Work,
  session: string,
  toolCallId: string,
  given: PartSettlement,
): Promise<PartRecord> {
  const settlement = copyJson(given, partBounds(work), 'settlement')
  return decide(work, ['revision', 'message', 'session'], async () => {
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

const steps: Readonly<Record<string, readonly ToolState[]>> = {
  'input-streaming': ['input-available', 'approval-requested', 'output-available', 'output-error', 'output-denied'],
  'input-available': ['approval-requested', 'output-available', 'output-error', 'output-denied'],
  'approval-requested': ['approval-responded', 'output-available', 'output-error', 'output-denied'],
  'approval-responded': ['output-available', 'output-error', 'output-denied'],
}

/** The part with the settlement laid over it, or undefined when it stands so already. */
function settledPart(work: Work, row: PartRow, settlement: PartSettlement): PartRow | undefined {
  const stored = parse<Part>(row.payloadJson)
  // Only what says so again is still preliminary.
  const merged = Object.fromEntries(
    Object.entries({ ...stored, preliminary: undefined, ...settlement }).filter(([, value]) => value !== undefined),
  ) as Part
  const { row: next } = encodePart(work, merged, row.index, row.createdAt, Math.max(work.now, row.updatedAt))
  if (next.payloadJson === row.payloadJson) return undefined
  const state = row.state ?? ''
  const goesOn = steps[state]?.includes(settlement.state) === true
  const preliminary =
    state === 'output-available' && stored.preliminary === true && finalToolStates.has(settlement.state)
  if (goesOn || preliminary) return next
  throw conflict(`The call is ${state} already; it settles once.`, { entity: 'part', id: row.toolCallId ?? '' })
}
