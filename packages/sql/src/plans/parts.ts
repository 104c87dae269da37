import type { PartRow } from '@holdfast/core'
import { sql } from 'kysely'
import { cutsOf } from '../chunks.js'
import { written } from '../codec/columns.js'
import { partFields } from '../codec/messages.js'
import { type Compiler, compiledWhenNeeded, type Scoped, type Writing } from '../compile.js'
import type { Found } from '../executor.js'
import { insertFrom } from './insert.js'
import { type Plan, run } from './plan.js'

export interface OfMessage extends Scoped {
  readonly message: string
}

/** Where a message stands, as an earlier step found it. */
interface Place {
  readonly branch: Found
  readonly position: Found
}

/** A row of a part: all of it, or a piece of one that is longer than a row may be. */
interface PartPiece {
  readonly part: PartRow
  readonly chunk: number
  readonly payload: string
}

interface NewPart extends OfMessage, PartPiece {
  readonly branch: Found | undefined
  readonly position: Found | undefined
}

interface NewParts extends OfMessage {
  readonly pieces: readonly PartPiece[]
}

/** Adds parts to a message that is there, in several rows where a payload is longer than one may be. */
export type AddParts = (plan: Plan, message: string, parts: readonly PartRow[], place?: Place) => void

/** More rows than this are cut into several statements, so that there are few forms of them. */
const mostTogether = 8

export function addParts({ traits, compile, chained }: Compiler): AddParts {
  const addOne = compile<NewPart>('add a part', (writing) =>
    insertFrom(
      writing,
      'holdfast_parts',
      placeOf(writing),
      valuesOf(writing, (input) => input),
      {
        branch: sql.ref('branch'),
        position: sql.ref('position'),
      },
    ),
  )
  const addThere = compile<NewPart>('add a part to the latest message', (writing) =>
    writing.db.insertInto('holdfast_parts').values({
      ...valuesOf(writing, (input) => input),
      branch: sql<number>`${writing.late('branch')}`,
      position: sql<number>`${writing.late('position')}`,
    }),
  )
  const addSeveral = compiledWhenNeeded<NewParts>((form, { pieces }) =>
    compile<NewParts>(`add ${form} parts`, (writing) =>
      writing.db.insertInto('holdfast_parts').values(
        pieces.map((_, at) => ({
          // As many as the statement was compiled for.
          ...valuesOf(writing, (input) => input.pieces[at] as PartPiece),
          branch: placeOf(writing).select('branch'),
          position: placeOf(writing).select('position'),
        })),
      ),
    ),
  )

  return (plan, message, parts, place) => {
    const { scope } = plan
    const pieces = parts.flatMap((part) => piecesOf(part, traits.chunkCharacters))
    if (chained && place !== undefined) {
      for (const piece of pieces) run(plan, addThere, { scope, message, ...piece, ...place })
      return
    }
    for (let at = 0; at < pieces.length; at += mostTogether) {
      const together = pieces.slice(at, at + mostTogether)
      const [first] = together
      if (first === undefined) return
      const input = { scope, message, pieces: together }
      if (together.length > 1) run(plan, addSeveral(String(together.length), input), input)
      else run(plan, addOne, { scope, message, ...first, branch: undefined, position: undefined })
    }
  }
}

function valuesOf<Input extends OfMessage>(writing: Writing<Input>, pieceOf: (input: Input) => PartPiece) {
  const { scope, computed } = writing
  return {
    ...written(partFields, (input: Input) => pieceOf(input).part, writing),
    scope,
    chunk: computed((input) => pieceOf(input).chunk),
    // Only the first row has the call id, so that a call is found once.
    tool_call_id: computed((input) => {
      const { chunk, part } = pieceOf(input)
      return chunk === 0 ? part.toolCallId : null
    }),
    payload_json: computed((input) => pieceOf(input).payload),
  }
}

function piecesOf(part: PartRow, longest: number): readonly PartPiece[] {
  const { payloadJson } = part
  if (payloadJson.length <= longest) return [{ part, chunk: 0, payload: payloadJson }]
  let begin = 0
  return cutsOf(payloadJson, longest).map((end, chunk) => {
    const payload = payloadJson.slice(begin, end)
    begin = end
    return { part, chunk, payload }
  })
}

/** The row of the message that the input names. */
export function placeOf<Input extends OfMessage>({ db, scope, slot }: Writing<Input>) {
  return db.selectFrom('holdfast_messages').where('id', '=', slot('message')).where('scope', '=', scope)
}
