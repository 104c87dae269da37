import { conflict, invalid } from '../errors.js'
import { isPlainObject, type JsonObject, sameJson } from '../json.js'
import { finalToolStates, type PartInput, type PartSettlement, type ToolState, toolStates } from '../model/part.js'

const steps: Readonly<Record<string, readonly ToolState[]>> = {
  'input-streaming': ['input-available', 'approval-requested', 'output-available', 'output-error', 'output-denied'],
  'input-available': ['approval-requested', 'output-available', 'output-error', 'output-denied'],
  'approval-requested': ['approval-responded', 'output-available', 'output-error', 'output-denied'],
  'approval-responded': ['output-available', 'output-error', 'output-denied'],
}

/**
 * A stored tool call with a settlement laid over it; undefined when all that the settlement says stands already, whatever
 * came after it. What says otherwise than what stands is `conflict`.
 */
export function settledCall(stored: PartInput, settlement: PartSettlement): PartInput | undefined {
  const { state } = settlement
  const approval = settledApproval(stored, settlement)
  if (isPast(stored, state)) {
    if (stands(stored, { ...settlement, state: stored.state, ...approval })) return undefined
    throw settledOtherwise(stored)
  }
  // Only what says so again is still preliminary.
  const entries = Object.entries({ ...stored, preliminary: undefined, ...settlement, ...approval })
  // The type and the call id are those of the stored part.
  const settled = Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as PartInput
  if (sameJson(settled, stored)) return undefined
  const goesOn = steps[String(stored.state)]?.includes(state) === true
  const preliminary = stored.state === 'output-available' && stored.preliminary === true && finalToolStates.has(state)
  if (!goesOn && !preliminary) throw settledOtherwise(stored)
  assertAnswered(stored, state, approval.approval)
  return settled
}

const order: readonly unknown[] = toolStates

/** Whether the call has gone on from that state, or could not go back to it. Final states are not past one another. */
function isPast({ state }: PartInput, asked: ToolState): boolean {
  if (finalToolStates.has(asked)) return false
  return order.indexOf(state) > order.indexOf(asked)
}

/** Whether all that is said of a call stands in it. */
function stands(stored: PartInput, said: object): boolean {
  return Object.entries(said).every(([field, value]) => sameJson(stored[field], value))
}

/** What was asked and what was answered, together: the same question, and one answer. */
function settledApproval(stored: PartInput, settlement: PartSettlement): { readonly approval?: JsonObject } {
  const kept = isPlainObject(stored.approval) ? stored.approval : undefined
  // The settlement was copied as JSON.
  const given = 'approval' in settlement ? (settlement.approval as JsonObject | undefined) : undefined
  if (kept === undefined || given === undefined) {
    const approval = given ?? kept
    return approval === undefined ? {} : { approval }
  }
  if (given.id !== kept.id) throw conflict('The call asked for another approval.', detailsOf(stored))
  const merged = { ...kept, ...given }
  if (typeof kept.approved === 'boolean' && !sameJson(merged, kept))
    throw conflict('The approval was answered already, and otherwise.', detailsOf(stored))
  return { approval: merged }
}

/** An output is of what was not denied, and a denial denies what was asked. */
function assertAnswered(stored: PartInput, state: ToolState, approval: JsonObject | undefined): void {
  if (state === 'output-available' && approval?.approved === false)
    throw conflict('The call was denied; it has no output.', detailsOf(stored))
  if (state !== 'output-denied') return
  if (approval === undefined) throw invalid('A denial needs the approval that was denied.', 'settlement.approval')
  if (approval.approved === true) throw conflict('The call was approved; it is not denied.', detailsOf(stored))
}

function settledOtherwise(stored: PartInput) {
  return conflict(`The call is ${stored.state} already; it settles once.`, detailsOf(stored))
}

function detailsOf({ toolCallId }: PartInput) {
  return { entity: 'part', id: String(toolCallId) } as const
}
