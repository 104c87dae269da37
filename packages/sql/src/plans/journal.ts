import type { JournalRow, WriteJournal } from '@holdfast/core'
import { type Expression, type RawBuilder, sql } from 'kysely'
import { written } from '../codec/columns.js'
import { entryFields } from '../codec/journal.js'
import type { Compiler, Writing } from '../compile.js'
import type { Found } from '../executor.js'
import { insertFrom } from './insert.js'
import { expectOne, type Plan, receiptFromLatest, run } from './plan.js'
import { type HoldSession, type OfSession, sessionRow } from './session.js'

interface NewEntry extends OfSession {
  readonly entry: JournalRow
  readonly sessionKey: Found
}

export function planWriteJournal(
  { compile }: Compiler,
  hold: HoldSession,
): (plan: Plan, command: WriteJournal) => void {
  // The session is held, so nobody else takes the same seq.
  const insert = (writing: Writing<NewEntry>) => {
    const { db, scope, chained, late } = writing
    const values = { ...written(entryFields, (input) => input.entry, writing), scope }
    if (!chained) {
      const session = sql.ref<number>('holdfast_sessions.key')
      return insertFrom(writing, 'holdfast_journal', sessionRow(writing), values, {
        session,
        seq: nextSeq(writing, session),
      })
    }
    const session = sql<number>`${late('sessionKey')}`
    return db.insertInto('holdfast_journal').values({ ...values, session, seq: nextSeq(writing, session) })
  }
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

function nextSeq({ db, scope }: Writing<NewEntry>, session: Expression<number>): RawBuilder<number> {
  const last = db
    .selectFrom('holdfast_journal')
    .select((eb) => eb.fn.max('seq').as('last'))
    .where('scope', '=', scope)
    .where('session', '=', session)
  return sql<number>`coalesce(${last}, 0) + 1`
}
