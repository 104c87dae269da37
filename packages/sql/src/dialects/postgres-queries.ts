import {
  DummyDriver,
  type Expression,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type SelectQueryBuilder,
  sql,
} from 'kysely'
import type { Statement } from '../executor.js'
import { literal, quoted } from '../schema/ddl.js'
import type { Database } from '../schema/tables.js'
import type { KeyedTable, QueryTraits } from '../traits.js'

const compiler = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

const asks = (text: string): Statement => ({ text, returns: true })

/** The queries of PostgreSQL. Every table is named with its schema: what a search path says is not the library's to trust. */
export const postgresQueries = (schema: string): QueryTraits => ({
  compiler: compiler.withSchema(schema),
  // A value may take a billion bytes, so nothing is ever cut.
  chunkCharacters: 2 ** 28,
  greatest: 'greatest',
  least: 'least',
  locksRows: true,
  failsWhenTaken: true,
  // The column counts by itself, but the row of a session must name the key of its branch before there is a branch.
  nextKey: (table: KeyedTable): Expression<number> =>
    sql<number>`nextval(${sql.lit(`${quoted(schema)}.${quoted(`${table}_key_seq`)}`)})`,
  holding: <Tables extends keyof Aliased, Aliased, Output>(
    query: SelectQueryBuilder<Aliased, Tables, Output>,
    table: Tables & string,
  ) => query.modifyEnd(sql`for update of ${sql.id(table)}`),
  engine: {
    // The server keeps references whole by itself.
    checks: [],
    bytes: asks(
      `select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint from pg_class c
       where c.relnamespace = to_regnamespace(${literal(quoted(schema))})
         and c.relkind in ('r', 'p') and starts_with(c.relname, 'holdfast_')`,
    ),
    settings: asks(
      `select 'version', current_setting('server_version')
       union all select 'synchronous_commit', current_setting('synchronous_commit')
       union all select 'fsync', current_setting('fsync')`,
    ),
  },
})
