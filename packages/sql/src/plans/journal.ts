import type { JournalRow, WriteJournal } from '@holdfast/core'
import { sql } from 'kysely'
import { written } from '../codec/columns.js'
import { entryFields } from '../codec/journal.js'
import type { Compiler, Writing } from '../compile.js'
import { expectOne, type Plan, receiptFromLatest } from './plan.js'
import { type HoldSession, type OfSession, sessionKey } from './session.js'

interface NewEntry extends OfSession {
  readonly entry: JournalRow
}

export function planWriteJournal(
  { compile }: Compiler,
  hold: HoldSession,
): (plan: Plan, command: WriteJournal) => void {
  const write = compile<NewEntry>('write a journal entry', (writing) =>
    writing.db
      .insertInto('holdfast_journal')
      .values({
        ...written(entryFields, (input) => input.entry, writing),
        scope: writing.scope,
        session: sessionKey(writing),
        // The session is held, so nobody else takes the same seq.
        seq: sql<number>`coalesce(${lastSeq(writing)}, 0) + 1`,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('seq'),
  )
  return (plan, { session, entry }) => {
    hold(plan, session)
    expectOne(plan, write, { scope: plan.scope, session, entry }, 'id')
    receiptFromLatest(plan, ([seq]) => ({ seq: Number(seq) }))
  }
}

function lastSeq(writing: Writing<NewEntry>) {
  return writing.db
    .selectFrom('holdfast_journal')
    .select((eb) => eb.fn.max('seq').as('last'))
    .where('scope', '=', writing.scope)
    .where('session', '=', sessionKey(writing))
}
