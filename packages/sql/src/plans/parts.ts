import type { PartRow } from '@holdfast/core'
import { sql } from 'kysely'
import { cutsOf } from '../chunks.js'
import { written } from '../codec/columns.js'
import { partFields } from '../codec/messages.js'
import type { Compiler, Scoped, Writing } from '../compile.js'
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

interface NewPart extends OfMessage {
  readonly branch: Found | undefined
  readonly position: Found | undefined
  readonly part: PartRow
  readonly chunk: number
  readonly payload: string
}

/** Adds a part to a message that is there, in several rows when its payload is longer than one may be. */
export type AddPart = (plan: Plan, message: string, part: PartRow, place?: Place) => void

export function addPart({ traits, compile }: Compiler): AddPart {
  const insert = (writing: Writing<NewPart>, found: boolean) => {
    const { db, scope, slot, computed, late } = writing
    const values = {
      ...written(partFields, (input) => input.part, writing),
      scope,
      chunk: slot('chunk'),
      // Only the first row has the call id, so that a call is found once.
      tool_call_id: computed(({ chunk, part }) => (chunk === 0 ? part.toolCallId : null)),
      payload_json: slot('payload'),
    }
    if (!found) {
      return insertFrom(writing, 'holdfast_parts', placeOf(writing), values, {
        branch: sql.ref('branch'),
        position: sql.ref('position'),
      })
    }
    return db.insertInto('holdfast_parts').values({
      ...values,
      branch: sql<number>`${late('branch')}`,
      position: sql<number>`${late('position')}`,
    })
  }
  const add = compile<NewPart>('add a part', (writing) => insert(writing, false))
  const addThere = compile<NewPart>('add a part to the latest message', (writing) => insert(writing, writing.chained))

  return (plan, message, part, place) => {
    const { scope } = plan
    const { payloadJson } = part
    const statement = place === undefined ? add : addThere
    const branch = place?.branch
    const position = place?.position
    if (payloadJson.length <= traits.chunkCharacters) {
      run(plan, statement, { scope, message, part, branch, position, chunk: 0, payload: payloadJson })
      return
    }
    let begin = 0
    for (const [chunk, end] of cutsOf(payloadJson, traits.chunkCharacters).entries()) {
      const payload = payloadJson.slice(begin, end)
      run(plan, statement, { scope, message, part, branch, position, chunk, payload })
      begin = end
    }
  }
}

/** The row of the message that the input names. */
export function placeOf<Input extends OfMessage>({ db, scope, slot }: Writing<Input>) {
  return db.selectFrom('holdfast_messages').where('id', '=', slot('message')).where('scope', '=', scope)
}
