import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { Database } from './schema/tables.js'

/** Deleted sessions stand on this shelf. */
export const deletedShelf = 2

/** The public id of the session `s`, or the one it had. */
export const sessionId = sql<string>`coalesce(${sql.ref('s.id')}, ${sql.ref('s.former_id')})`

/**
 * Whether some session shows the message `m`: its owner `s` is there, or a branch of a session that is there was made at
 * it or after it. Every branch made from such a branch shows it too, because a branch owns only what follows its base.
 * Cross joins are walked from left to right: from the few kin to their keys, never through all of the scope.
 */
export function isShown(db: Kysely<Database>): Expression<SqlBool> {
  const scope = sql.ref<number>('m.scope')
  const kin = db
    .withRecursive('kin', (query) =>
      query
        .selectFrom('holdfast_branches as c')
        .select(['c.key', 'c.session'])
        .where('c.scope', '=', scope)
        .where('c.parent', '=', sql.ref<number>('m.branch'))
        .where('c.base', '>=', sql.ref<number>('m.position'))
        .unionAll((more) =>
          more
            .selectFrom('kin')
            .crossJoin('holdfast_branches as c')
            .select(['c.key', 'c.session'])
            .where('c.scope', '=', scope)
            .whereRef('c.parent', '=', 'kin.key'),
        ),
    )
    .selectFrom('kin')
    .crossJoin('holdfast_sessions as k')
    .select('k.key')
    .where('k.scope', '=', scope)
    .whereRef('k.key', '=', 'kin.session')
    .where('k.shelf', '<', deletedShelf)
  return sql<SqlBool>`(${sql.ref('s.shelf')} < ${sql.lit(deletedShelf)} or exists ${kin})`
}

/** A message by its id together with the branch and the session that own it, where some session shows it. */
export function shownMessage(db: Kysely<Database>, id: string, scope: Expression<number>) {
  return db
    .selectFrom('holdfast_messages as m')
    .innerJoin('holdfast_branches as b', (join) =>
      join.onRef('b.scope', '=', 'm.scope').onRef('b.key', '=', 'm.branch'),
    )
    .innerJoin('holdfast_sessions as s', (join) =>
      join.onRef('s.scope', '=', 'b.scope').onRef('s.key', '=', 'b.session'),
    )
    .where('m.id', '=', id)
    .where('m.scope', '=', scope)
    .where(isShown(db))
}
