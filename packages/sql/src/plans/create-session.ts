import type { CreateSession, SessionRow } from '@holdfast/core'
import { type Expression, sql } from 'kysely'
import { written } from '../codec/columns.js'
import { sessionFields } from '../codec/sessions.js'
import type { Compiler, Scoped, Writing } from '../compile.js'
import { insertBranch } from './branches.js'
import { addLabel, copyLabels } from './labels.js'
import { expectOne, type Plan, run } from './plan.js'
import type { OfSession } from './session.js'

interface New extends Scoped {
  readonly session: SessionRow
}

interface Source extends Scoped {
  readonly source: string
}

/** Where a session stands by whether it is archived. */
export function shelfOf(archivedAt: number | null): number {
  return archivedAt === null ? 0 : 1
}

/** What the unique index of external references knows a source by: to it, nulls would all be different. */
export function externalSourceOf(source: string | null): string {
  return source ?? ''
}

export function planCreateSession(compiler: Compiler): (plan: Plan, command: CreateSession) => void {
  const { traits, compile } = compiler
  // The session's row names the key that its first branch will have, so that it need not be written twice.
  const firstBranch = insertBranch(compiler, 'a first branch', firstKey)
  const label = addLabel(compiler)
  const copy = copyLabels(compiler)

  const isFree = compile<New>('see that an id is free', ({ db, scope, computed }) =>
    db
      .selectNoFrom((eb) => eb.lit(1).as('free'))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('holdfast_sessions')
              .select('key')
              .where(
                'id',
                '=',
                computed((input) => input.session.id),
              )
              .where('scope', '=', scope),
          ),
        ),
      ),
  )

  const insert = compile<New>('create a session', (writing) =>
    writing.db
      .insertInto('holdfast_sessions')
      .values({
        ...written(sessionFields, (input) => input.session, writing),
        scope: writing.scope,
        key: traits.nextKey('holdfast_sessions', writing.scope),
        active_branch: traits.nextKey('holdfast_branches', writing.scope),
        shelf: writing.computed((input) => shelfOf(input.session.archivedAt)),
        external_source: writing.computed((input) => externalSourceOf(input.session.source)),
      })
      .onConflict((conflict) => conflict.doNothing()),
  )

  const source = compile<Source>('find the session that is forked from', ({ db, scope, slot }) =>
    traits.holding(
      db.selectFrom('holdfast_sessions').select('key').where('id', '=', slot('source')).where('scope', '=', scope),
      'holdfast_sessions',
    ),
  )

  return (plan, { session, branch, labels, source: from }) => {
    const { scope } = plan
    if (from !== null) expectOne(plan, source, { scope, source: from }, 'source')
    // An id that is taken is refused before the reference is: it may be the same call again.
    if (session.externalRef !== null) expectOne(plan, isFree, { scope, session }, 'id')
    expectOne(plan, insert, { scope, session }, session.externalRef === null ? 'id' : 'externalRef')
    plan.held.add(session.id)
    firstBranch(plan, session.id, branch)
    if (from !== null) run(plan, copy, { scope, session: session.id, source: from })
    for (const each of labels) run(plan, label, { scope, session: session.id, label: each })
  }
}

/** The key that the row of a session names for its first branch. */
function firstKey({ db, scope, slot }: Writing<OfSession>): Expression<number> {
  const session = db.selectFrom('holdfast_sessions').where('id', '=', slot('session')).where('scope', '=', scope)
  return sql<number>`${session.select('active_branch')}`
}
