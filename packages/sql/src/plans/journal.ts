import type { JournalRow, WriteJournal } from '@holdfast/core'
import { sql } from 'kysely'
import { written } from '../codec/columns.js'
import { entryFields } from '../codec/journal.js'
import type { Compiler, Writing } from '../compile.js'
import type { Found } from '../executor.js'
import { expectOne, type Plan, receiptFromLatest, run } from './plan.js'
import { type HoldSession, type OfSession, sessionKey } from './session.js'

interface NewEntry extends OfSession {
  readonly entry: JournalRow
  readonly sessionKey: Found
}

export function planWriteJournal(
  { compile }: Compiler,
  hold: HoldSession,
): (plan: Plan, command: WriteJournal) => void {
  const insert = (writing: Writing<NewEntry>) =>
    writing.db.insertInto('holdfast_journal').values({
      ...written(entryFields, (input) => input.entry, writing),
      scope: writing.scope,
      session: keyOf(writing),
      // The session is held, so nobody else takes the same seq.
      seq: sql<number>`coalesce(${lastSeq(writing)}, 0) + 1`,
    })
  const add = compile<NewEntry>('write a journal entry', insert)
  const addOnce = compile<NewEntry>('write a journal entry with an id', (writing) =>
    insert(writing)
      .onConflict((conflict) => conflict.doNothing())
      .returning('seq'),
  )
  return (plan, { session, entry }) => {
    const input = { scope: plan.scope, session, entry, sessionKey: hold.keyOf(plan, session) }
    // An entry without an id can collide with none, and nobody asks for its seq.
    if (entry.id === null) return run(plan, add, input)
    expectOne(plan, addOnce, input, 'id')
    receiptFromLatest(plan, ([seq]) => ({ seq: Number(seq) }))
  }
}

function keyOf(writing: Writing<NewEntry>) {
  return writing.chained ? sql<number>`${writing.late('sessionKey')}` : sessionKey(writing)
}

function lastSeq(writing: Writing<NewEntry>) {
  return writing.db
    .selectFrom('holdfast_journal')
    .select((eb) => eb.fn.max('seq').as('last'))
    .where('scope', '=', writing.scope)
    .where('session', '=', keyOf(writing))
}
