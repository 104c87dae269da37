import type { Call } from '@holdfast/core'
import { type SqlBool, sql } from 'kysely'
import { bind, type Compiler, type Scoped } from '../compile.js'
import type { About, SqlExecutor } from '../executor.js'
import type { Database } from '../schema/tables.js'

interface Bounded extends Scoped {
  readonly rows: number
}

/**
 * The tables of a scope in the order in which they can be emptied, each with its key inside the scope. A branch has a
 * higher key than the one it was made from, so the highest go first.
 */
const emptied: readonly {
  readonly table: Exclude<keyof Database, 'holdfast_scopes'>
  readonly key: readonly string[]
}[] = [
  { table: 'holdfast_parts', key: ['branch', 'position', 'index', 'chunk'] },
  { table: 'holdfast_messages', key: ['branch', 'position'] },
  { table: 'holdfast_labels', key: ['session', 'kind', 'value'] },
  { table: 'holdfast_journal', key: ['session', 'seq'] },
  { table: 'holdfast_branches', key: ['key'] },
  { table: 'holdfast_sessions', key: ['key'] },
]

/** Removes up to so many rows of a hidden scope, by its key, in one transaction, and says how many. */
/** A hidden scope has no id any more that it could be named by. */
const everything: About = { scope: null }

export type SweepScope = (scope: number, rows: number, call: Call) => Promise<number>

export function sweepScope(executor: SqlExecutor, { compile }: Compiler): SweepScope {
  const tables = emptied.map(({ table, key }) => ({
    count: compile<Bounded>(`look through ${table} of a hidden scope`, ({ db, scope, slot }) =>
      db
        .selectFrom(db.selectFrom(table).select('scope').where('scope', '=', scope).limit(slot('rows')).as('some'))
        .select((eb) => eb.fn.countAll<number>().as('count')),
    ),
    remove: compile<Bounded>(`empty ${table} of a hidden scope`, ({ db, scope, slot }) => {
      const columns = sql.join(key.map((column) => sql.ref(column)))
      const order = sql.join(key.map((column) => sql`${sql.ref(column)} desc`))
      const some = sql`select ${columns} from ${sql.table(table)} where ${sql.ref('scope')} = ${scope} order by ${order} limit ${slot('rows')}`
      return db.deleteFrom(table).where('scope', '=', scope).where(sql<SqlBool>`(${columns}) in (${some})`)
    }),
  }))
  const removeScope = compile<Scoped>('remove a hidden scope', ({ db, scope }) =>
    db.deleteFrom('holdfast_scopes').where('key', '=', scope).where('id', 'is', null),
  )

  return async (scope, rows, call) => {
    const input = { scope, rows }
    const counts = await executor.read(
      tables.map(({ count }) => bind(count, input)),
      everything,
      call,
    )
    for (const [at, { remove }] of tables.entries()) {
      const count = Number(counts[at]?.[0]?.[0])
      if (count === 0) continue
      await executor.write([bind(remove, input)], everything, call)
      return count
    }
    await executor.write([bind(removeScope, { scope })], everything, call)
    return 1
  }
}
