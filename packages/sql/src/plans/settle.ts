import type { MessageColumns, SettleMessage } from '@holdfast/core'
import { written } from '../codec/columns.js'
import { messageFields } from '../codec/messages.js'
import { type Compiler, compiledWhenNeeded } from '../compile.js'
import { shownMessage } from '../shown.js'
import { addParts, type OfMessage, placeOf } from './parts.js'
import { expectOne, type Plan, run } from './plan.js'

interface Settlement extends OfMessage {
  readonly set: MessageColumns
  readonly revision: number
  readonly at: number
}

interface OnePart extends OfMessage {
  readonly index: number
}

export function planSettleMessage(compiler: Compiler): (plan: Plan, command: SettleMessage) => void {
  const { traits, compile } = compiler
  const add = addParts(compiler)

  const found = compile<OfMessage>('find a message that is shown', ({ db, scope, slot }) =>
    traits.holding(shownMessage(db, slot('message'), scope).select('m.position'), 'm'),
  )

  const settle = compiledWhenNeeded<Settlement>((form, { set }) =>
    compile<Settlement>(`settle a message: ${form}`, (writing) =>
      writing.db
        .updateTable('holdfast_messages')
        .set(
          written(
            messageFields.filter(({ property }) => Object.hasOwn(set, property)),
            (input) => input.set,
            writing,
          ),
        )
        .set((eb) => ({ updated_at: writing.slot('at'), revision: eb('revision', '+', 1) }))
        .where('id', '=', writing.slot('message'))
        .where('scope', '=', writing.scope)
        .where('revision', '=', writing.slot('revision')),
    ),
  )

  const remove = compile<OnePart>('remove a part', (writing) => {
    const { db, scope, slot } = writing
    return db
      .deleteFrom('holdfast_parts')
      .where('scope', '=', scope)
      .where('branch', '=', placeOf(writing).select('branch'))
      .where('position', '=', placeOf(writing).select('position'))
      .where('index', '=', slot('index'))
  })

  return (plan, { message, revision, at, set, parts }) => {
    const { scope } = plan
    const input = { scope, message, set, revision, at }
    expectOne(plan, found, input, 'message')
    expectOne(plan, settle(Object.keys(set).sort().join(), input), input, 'revision')
    for (const part of parts) {
      run(plan, remove, { scope, message, index: part.index })
      add(plan, message, [part])
    }
  }
}
