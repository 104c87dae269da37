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
import type { Database } from '../../src/schema/tables.js'
import type { KeyedTable, QueryTraits } from '../../src/traits.js'

/** The queries of PostgreSQL, as far as they must be told to see what they become. */
export const postgresQueries: QueryTraits = {
  compiler: new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
  chunkCharacters: 262_144,
  greatest: 'greatest',
  least: 'least',
  nextKey: (table: KeyedTable): Expression<number> => sql<number>`nextval(${sql.lit(`${table}_key`)})`,
  holding: <Tables extends keyof Aliased, Aliased, Output>(
    query: SelectQueryBuilder<Aliased, Tables, Output>,
    table: Tables & string,
  ) => query.forUpdate(table),
  engine: {
    checks: [],
    bytes: { text: 'select pg_database_size(current_database())', returns: true },
    settings: { text: "select 'version', current_setting('server_version')", returns: true },
  },
}
