import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { Compiler, Scoped } from '../compile.js'
import type { Database } from '../schema/tables.js'
import { deletedShelf } from '../shown.js'
import { hasUnshownMessages, isChildless } from './leftovers.js'

/** A deleted session, by its key: it has no id any more. */
export interface Deleted extends Scoped {
  readonly session: number
}

export interface OneBranch extends Scoped {
  readonly branch: number
}

/** The statements that remove the rows of branches and sessions once they are empty. */
export function emptyRows({ compile }: Compiler) {
  return {
    /** What only this branch showed of its parent may go now, so the parent's session is to be swept as well. */
    freeParent: compile<OneBranch>('see to the parent of a branch', ({ db, scope, slot }) =>
      db
        .updateTable('holdfast_sessions')
        .set({ unswept: 1 })
        .where('scope', '=', scope)
        .where('shelf', '=', deletedShelf)
        .where('key', 'in', (eb) =>
          eb
            .selectFrom('holdfast_branches as b')
            .innerJoin('holdfast_branches as p', (join) =>
              join.onRef('p.scope', '=', 'b.scope').onRef('p.key', '=', 'b.parent'),
            )
            .select('p.session')
            .where('b.scope', '=', scope)
            .where('b.key', '=', slot('branch'))
            .where(isEmpty(db)),
        ),
    ),

    removeBranch: compile<OneBranch>('remove an empty branch', ({ db, scope, slot }) =>
      db
        .deleteFrom('holdfast_branches')
        .where('scope', '=', scope)
        .where('key', 'in', (eb) =>
          eb
            .selectFrom('holdfast_branches as b')
            .select('b.key')
            .where('b.scope', '=', scope)
            .where('b.key', '=', slot('branch'))
            .where(isEmpty(db)),
        ),
    ),

    removeSession: compile<Deleted>('remove an empty session', ({ db, scope, slot }) =>
      db
        .deleteFrom('holdfast_sessions')
        .where('scope', '=', scope)
        .where('key', '=', slot('session'))
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('holdfast_branches as b')
                .select('b.key')
                .where('b.scope', '=', scope)
                .where('b.session', '=', slot('session')),
            ),
          ),
        ),
    ),

    /** What is left is needed by forks. */
    settle: compile<Deleted>('finish sweeping a session', ({ db, scope, slot }) =>
      db
        .updateTable('holdfast_sessions')
        .set({ unswept: null })
        .where('scope', '=', scope)
        .where('key', '=', slot('session'))
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('holdfast_branches as b')
                .select('b.key')
                .where('b.scope', '=', scope)
                .where('b.session', '=', slot('session'))
                .where((eb) => eb.or([isChildless(eb), hasUnshownMessages(eb)])),
            ),
          ),
        ),
    ),
  }
}

/** Whether the branch `b` has neither messages nor branches made from it. */
function isEmpty(db: Kysely<Database>): Expression<SqlBool> {
  const own = db
    .selectFrom('holdfast_messages as m')
    .select('m.position')
    .where('m.scope', '=', sql.ref<number>('b.scope'))
    .where('m.branch', '=', sql.ref<number>('b.key'))
  const children = db
    .selectFrom('holdfast_branches as c')
    .select('c.key')
    .where('c.scope', '=', sql.ref<number>('b.scope'))
    .where('c.parent', '=', sql.ref<number>('b.key'))
  return sql<SqlBool>`(not exists ${own} and not exists ${children})`
}
