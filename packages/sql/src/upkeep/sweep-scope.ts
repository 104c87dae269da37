import type { Call } from '@holdfast/core'
import { type SqlBool, sql } from 'kysely'
import { bind, type Compiler, type Scoped, type Writing } from '../compile.js'
import type { About, SqlExecutor } from '../executor.js'

interface Bounded extends Scoped {
  readonly rows: number
}

type OfBranch = 'holdfast_parts' | 'holdfast_messages'
type OfSession = 'holdfast_labels' | 'holdfast_journal' | 'holdfast_branches'

/**
 * The tables of a scope in the order in which they can be emptied, each with its key inside the scope. Their rows are
 * found through the sessions, which alone are kept by scope on every engine.
 */
const emptied: readonly {
  readonly table: OfBranch | OfSession | 'holdfast_sessions'
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
    count: compile<Bounded>(`look through ${table} of a hidden scope`, (writing) =>
      writing.db.selectFrom(some(writing, table, key).as('some')).select((eb) => eb.fn.countAll<number>().as('count')),
    ),
    remove: compile<Bounded>(`empty ${table} of a hidden scope`, (writing) => {
      const columns = sql.join(key.map((column) => sql.ref(column)))
      return writing.db
        .deleteFrom(table)
        .where('scope', '=', writing.scope)
        .where(sql<SqlBool>`(${columns}) in ${some(writing, table, key)}`)
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

/** The keys of some rows of a table in the scope. A branch has a higher key than the one it was made from: highest first. */
function some(writing: Writing<Bounded>, table: (typeof emptied)[number]['table'], key: readonly string[]) {
  const columns = key.map((column) => sql.ref<number>(`t.${column}`).as(column))
  const rows = rowsOf(writing, table).select(columns).limit(writing.slot('rows'))
  return table === 'holdfast_branches' ? rows.orderBy(sql.ref('t.key'), 'desc') : rows
}

function rowsOf({ db, scope }: Writing<Bounded>, table: (typeof emptied)[number]['table']) {
  if (table === 'holdfast_sessions') return db.selectFrom('holdfast_sessions as t').where('t.scope', '=', scope)
  const sessions = db.selectFrom('holdfast_sessions as s').where('s.scope', '=', scope)
  if (table !== 'holdfast_parts' && table !== 'holdfast_messages') {
    return sessions.innerJoin(`${table} as t`, (join) =>
      join.onRef('t.scope', '=', 's.scope').onRef('t.session', '=', 's.key'),
    )
  }
  return sessions
    .innerJoin('holdfast_branches as b', (join) =>
      join.onRef('b.scope', '=', 's.scope').onRef('b.session', '=', 's.key'),
    )
    .innerJoin(`${table} as t`, (join) => join.onRef('t.scope', '=', 'b.scope').onRef('t.branch', '=', 'b.key'))
}
