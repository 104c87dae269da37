import { hash } from 'node:crypto'
import { type Clock, createStore, HoldfastError, systemClock } from '@holdfast/core'
import {
  assessSchema,
  createSqlBackend,
  migrate,
  postgresTraits,
  type SqlBackendOptions,
  type SqlExecutor,
  type SqlTraits,
} from '@holdfast/sql'
import { classify, wrapped } from './classify.js'
import { type Connections, connectionsOf, openPool } from './connections.js'
import { createPostgresExecutor } from './executor.js'
import { type PostgresStore, type PostgresStoreOptions, type Settled, settle } from './options.js'
import { guard, refuseBypass, unguardedTables } from './row-level-security.js'
import { lookAtServer, type Server } from './server.js'
import type { Manner } from './settings.js'
import { createInnerExecutor } from './within.js'

/** The server's own limit comes first; this one is for a server that says nothing at all. */
const graceMs = 2_000

/**
 * Opens a store in a Postgres database.
 *
 * @example
 * ```ts
 * const store = await openPostgresStore({ connectionString: process.env.DATABASE_URL })
 * const session = await store.scope('default').sessions.create({ title: 'Trip to Oslo' })
 * await store.close()
 * ```
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const settled = settle(options)
  return withConnections(settled, async (connections) => {
    const opened = await prepared(settled, connections, options.clock ?? systemClock)
    const { executor, manner, traits, server } = opened
    if (manner.rowLevelSecurity) refuseBypass(server.role, server.bypasses)
    const backendOn = (on: SqlExecutor) =>
      createSqlBackend({ executor: on, traits, classify, sha256, capabilities: capabilitiesOf(manner) })
    return Object.assign(createStore(backendOn(executor), options), {
      schema: settled.schema,
      within: (client: Parameters<PostgresStore['within']>[0]) =>
        createStore(backendOn(createInnerExecutor(client, manner)), options),
    })
  })
}

/** Brings a database to the newest schema and, when asked to, has the server keep scopes apart; for the migrating role. */
export async function migratePostgres(options: PostgresStoreOptions): Promise<void> {
  const settled = { ...settle(options), mayMigrate: true }
  await withConnections(settled, async (connections) => {
    await prepared(settled, connections, options.clock ?? systemClock)
    await connections.close()
  })
}

const sha256 = (text: string) => hash('sha256', text)

function capabilitiesOf({ rowLevelSecurity }: Manner): SqlBackendOptions['capabilities'] {
  return { backend: 'postgres', durable: true, sharing: 'network', exclusiveLock: false, rowLevelSecurity }
}

async function withConnections<Result>(
  settled: Settled,
  open: (connections: Connections) => Promise<Result>,
): Promise<Result> {
  const { config, maxConnections, connectTimeoutMs: waitMs } = settled
  const pool = settled.pool ?? openPool(config, maxConnections, waitMs)
  const connections = connectionsOf(pool, { waitMs, owned: settled.pool === undefined })
  try {
    return await open(connections)
  } catch (error) {
    await connections.close()
    throw wrapped(error)
  }
}

interface Prepared {
  readonly executor: SqlExecutor
  readonly manner: Manner
  readonly traits: SqlTraits
  readonly server: Server
}

async function prepared(settled: Settled, connections: Connections, clock: Clock): Promise<Prepared> {
  const { schema, mayMigrate, statementTimeoutMs } = settled
  const silenceMs = statementTimeoutMs + graceMs
  const server = await lookAtServer(connections, silenceMs)
  const pooled = settled.pooler ?? server.pooled
  const shared = settled.pool !== undefined
  // A setting of the connection costs nothing later, but only connections of its own keep it.
  const keepsSettings = !pooled && !shared
  if (keepsSettings) connections.beginEachWith(`set statement_timeout = ${statementTimeoutMs}`)
  const manner: Manner = {
    named: !pooled,
    rowLevelSecurity: false,
    limitEachMs: !keepsSettings && (!shared || settled.limited) ? statementTimeoutMs : undefined,
    silenceMs,
  }
  const traits = postgresTraits(schema)
  const executor = createPostgresExecutor({ connections, manner, lock: lockFor(schema, statementTimeoutMs) })
  await assessSchema(executor, traits, { mayMigrate })
  // A transaction is all that a migration needs: what fails leaves the database as it was.
  if (mayMigrate) await migrate(executor, traits, { clock, backup: async () => undefined })
  manner.rowLevelSecurity = await securityOf(settled, executor, traits)
  return { executor, manner, traits, server }
}

/** Whether scopes are kept apart by the server, once it is as the options want it. */
async function securityOf(settled: Settled, executor: SqlExecutor, traits: SqlTraits): Promise<boolean> {
  const { rowLevelSecurity: wanted, mayMigrate } = settled
  if (wanted === true && mayMigrate) await guard(executor, traits)
  const [unguarded] = await unguardedTables(executor, traits)
  if (wanted === true && unguarded !== undefined) {
    throw new HoldfastError(
      'schema_missing',
      `Row-level security is not on for ${unguarded}. Open the store once with the role that migrates.`,
      { entity: 'store', path: unguarded },
    )
  }
  if (wanted === false && unguarded === undefined) {
    throw new HoldfastError('invalid', 'Row-level security is on, and without it nothing could be read.', {
      entity: 'store',
      path: 'rowLevelSecurity',
    })
  }
  return unguarded === undefined
}

/** What a migration begins with. A lock of the transaction needs no connection of its own and is never left behind. */
function lockFor(schema: string, waitMs: number): readonly string[] {
  const name = schema.replaceAll("'", "''")
  return [
    `select set_config('lock_timeout', '${waitMs}', true)`,
    `select pg_advisory_xact_lock(hashtextextended('holdfast ${name}', 0))`,
    `do $holdfast$ begin
       if to_regnamespace('"${name.replaceAll('"', '""')}"') is null then
         create schema "${schema.replaceAll('"', '""')}";
       end if;
     end $holdfast$`,
  ]
}
