import type { PartRow } from '@holdfast/core'
import { cutsOf } from '../chunks.js'
import { written } from '../codec/columns.js'
import { partFields } from '../codec/messages.js'
import type { Compiler, Scoped, Writing } from '../compile.js'
import { type Plan, run } from './plan.js'

export interface OfMessage extends Scoped {
  readonly message: string
}

interface NewPart extends OfMessage {
  readonly part: PartRow
  readonly chunk: number
  readonly payload: string
}

/** Adds a part to a message that is there, in several rows when its payload is longer than one may be. */
export type AddPart = (plan: Plan, message: string, part: PartRow) => void

export function addPart({ traits, compile }: Compiler): AddPart {
  const insert = compile<NewPart>('add a part', (writing) =>
    writing.db.insertInto('holdfast_parts').values({
      ...written(partFields, (input) => input.part, writing),
      scope: writing.scope,
      branch: placeOf(writing).select('branch'),
      position: placeOf(writing).select('position'),
      chunk: writing.slot('chunk'),
      // Only the first row has the call id, so that a call is found once.
      tool_call_id: writing.computed(({ chunk, part }) => (chunk === 0 ? part.toolCallId : null)),
      payload_json: writing.slot('payload'),
    }),
  )

  return (plan, message, part) => {
    const { scope } = plan
    const { payloadJson } = part
    if (payloadJson.length <= traits.chunkCharacters) {
      run(plan, insert, { scope, message, part, chunk: 0, payload: payloadJson })
      return
    }
    let begin = 0
    for (const [chunk, end] of cutsOf(payloadJson, traits.chunkCharacters).entries()) {
      run(plan, insert, { scope, message, part, chunk, payload: payloadJson.slice(begin, end) })
      begin = end
    }
  }
}

/** The row of the message that the input names. */
export function placeOf<Input extends OfMessage>({ db, scope, slot }: Writing<Input>) {
  return db.selectFrom('holdfast_messages').where('id', '=', slot('message')).where('scope', '=', scope)
}
