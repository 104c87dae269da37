import {
  DummyDriver,
  type Expression,
  Kysely,
  type SelectQueryBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type { SqlRow, Statement } from '../executor.js'
import type { Database } from '../schema/tables.js'
import type { KeyedTable, QueryTraits } from '../traits.js'

const compiler = new Kysely<Database>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

const asks = (text: string): Statement => ({ text, returns: true })

/** The queries of every engine that speaks SQLite's SQL, as far as 3.45 does. */
export const sqliteQueries: QueryTraits = {
  compiler,
  // A row may take a billion bytes here, so nothing is ever cut. Remote engines of this family take less and say so.
  chunkCharacters: 2 ** 28,
  greatest: 'max',
  least: 'min',
  locksRows: false,
  failsWhenTaken: false,
  nextKey: (table: KeyedTable, scope: Expression<number>) =>
    sql<number>`(select coalesce(max("key"), 0) + 1 from ${sql.table(table)} where "scope" = ${scope})`,
  holding: <Tables extends keyof Aliased, Aliased, Output>(query: SelectQueryBuilder<Aliased, Tables, Output>) => query,
  engine: {
    checks: [
      {
        statement: asks('select integrity_check from pragma_integrity_check'),
        problem: ([found]: SqlRow) => (found === 'ok' ? undefined : String(found)),
      },
      {
        statement: asks('select "table", "parent" from pragma_foreign_key_check'),
        // The file may hold tables of others, whose rows are not this library's business.
        problem: ([table, parent]: SqlRow) =>
          String(table).startsWith('holdfast_') ? `${table} names a missing row of ${parent}` : undefined,
      },
    ],
    bytes: asks('select page_count * page_size from pragma_page_count, pragma_page_size'),
    settings: asks(
      `select 'version', sqlite_version()
       union all select 'journal_mode', journal_mode from pragma_journal_mode
       union all select 'synchronous', synchronous from pragma_synchronous
       union all select 'foreign_keys', foreign_keys from pragma_foreign_keys`,
    ),
  },
}
