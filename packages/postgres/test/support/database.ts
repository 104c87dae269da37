import { type Migration, migrate, postgresTraits, type SqlExecutor } from '@holdfast/sql'
import { type Client, Pool } from 'pg'
import { onTestFinished } from 'vitest'
import { connectionsOf } from '../../src/connections.js'
import { createPostgresExecutor } from '../../src/executor.js'
import { connected, ownDatabase } from './servers.js'

export const traits = postgresTraits('public')

/** A database with an executor, and nothing in it but what the test puts there. */
export interface OpenDatabase {
  readonly url: string
  readonly executor: SqlExecutor
  readonly client: Client
  /** Rows as arrays. */
  ask(text: string): Promise<readonly (readonly unknown[])[]>
}

export async function openDatabase(): Promise<OpenDatabase> {
  const url = await ownDatabase()
  const connections = connectionsOf(new Pool({ connectionString: url, max: 2 }), { waitMs: 5_000, owned: true })
  const manner = { named: true, rowLevelSecurity: false, limitEachMs: undefined, silenceMs: 30_000 }
  const executor = createPostgresExecutor({ connections, manner, lock: ['select pg_advisory_xact_lock(1)'] })
  onTestFinished(() => executor.close())
  const client = await connected(url)
  return {
    url,
    executor,
    client,
    ask: async (text) => (await client.query<unknown[]>({ text, rowMode: 'array' })).rows,
  }
}

export async function bringTo({ executor }: OpenDatabase, migrations: readonly Migration[]): Promise<void> {
  await migrate(executor, traits, { clock: () => 1_700_000_000_000, migrations, backup: async () => undefined })
}

/** All that the server knows about tables of the library, but for the order of their columns. */
export async function schemaOf({ ask }: OpenDatabase): Promise<readonly (readonly unknown[])[]> {
  return ask(`
    with tables as (select oid, relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname like 'holdfast\\_%')
    select t.relname, 'column', a.attname::text, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
        a.attcollation::regcollation, a.attnotnull, a.attidentity, pg_get_expr(d.adbin, d.adrelid))
      from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
        left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
    union all select t.relname, 'constraint', k.conname::text, pg_get_constraintdef(k.oid)
      from tables t join pg_constraint k on k.conrelid = t.oid and k.contype <> 'n'
    union all select t.relname, 'index', x.indexrelid::regclass::text, pg_get_indexdef(x.indexrelid)
      from tables t join pg_index x on x.indrelid = t.oid
    order by 1, 2, 3`)
}

export async function versionsOf({ ask }: OpenDatabase): Promise<readonly unknown[]> {
  return (await ask('select version::int from holdfast_migrations order by version')).flat()
}
