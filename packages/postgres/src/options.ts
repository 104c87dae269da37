import { assertStoreOptions, HoldfastError, type Store, type StoreOptions } from '@holdfast/core'
import type { ClientBase, ClientConfig, Pool } from 'pg'

export interface PostgresStoreOptions extends StoreOptions {
  /** Such as `postgres://user:password@host:5432/database`. The settings below it may be given instead. */
  readonly connectionString?: string
  readonly host?: string
  readonly port?: number
  readonly user?: string
  readonly password?: ClientConfig['password']
  readonly database?: string
  /** TLS, as `pg` takes it: `true`, or the options of Node's `tls.connect`. */
  readonly ssl?: ClientConfig['ssl']
  /** A pool of the caller's, shared with the rest of the app. It stays open when the store closes. */
  readonly pool?: Pool
  /** How many connections the store opens at most where it has its own pool; 10 when left out. */
  readonly maxConnections?: number
  /** The schema that holds the tables; `public` when left out. A migration creates it. */
  readonly schema?: string
  /** False for roles that must not change the schema: what is missing is then `schema_missing`. */
  readonly migrate?: boolean
  /**
   * Whether the server, too, keeps scopes apart. Left out, the store does as the tables say. True turns it on where the
   * store migrates, and refuses to open where it is off or the role bypasses it.
   */
  readonly rowLevelSecurity?: boolean
  /** Whether connections go through a pooler in transaction mode. Left out, the store finds out. */
  readonly pooler?: boolean
  /** How long a call waits for a connection; 5,000 when left out. */
  readonly connectTimeoutMs?: number
  /** How long the server may take for one statement; 30,000 when left out. */
  readonly statementTimeoutMs?: number
}

export interface PostgresStore extends Store {
  /** The schema that holds the tables. */
  readonly schema: string
  /**
   * The same data through a connection of the caller's that is in a transaction: what is written there is committed or
   * rolled back with it, also when the store refused something before. One call at a time; live only while the
   * transaction is.
   *
   * @example
   * ```ts
   * await client.query('begin')
   * const inside = store.within(client)
   * const session = await inside.scope('workspace-1').sessions.create({ title: 'Trip to Oslo' })
   * await client.query('insert into orders (session) values ($1)', [session.id])
   * await client.query('commit')
   * ```
   */
  within(client: ClientBase): Store
}

/** Options with every decision made. */
export interface Settled {
  readonly pool: Pool | undefined
  readonly config: ClientConfig
  readonly maxConnections: number
  readonly schema: string
  readonly mayMigrate: boolean
  readonly rowLevelSecurity: boolean | undefined
  readonly pooler: boolean | undefined
  readonly connectTimeoutMs: number
  readonly statementTimeoutMs: number
  /** Whether somebody asked for the time limit: connections of the caller's keep their own otherwise. */
  readonly limited: boolean
}

const connectionFields = ['host', 'port', 'user', 'password', 'database'] as const

export function settle(options: PostgresStoreOptions): Settled {
  assertStoreOptions(options)
  const { connectionString, pool, schema = 'public', statementTimeoutMs } = options
  if (pool !== undefined && typeof pool?.connect !== 'function') throw refused('A pool of `pg` is needed.', 'pool')
  const given = connectionFields.filter((field) => options[field] !== undefined)
  if (pool !== undefined && (connectionString !== undefined || given.length > 0)) {
    throw refused('A pool has its own settings of the connection.', 'pool')
  }
  if (connectionString !== undefined) checkUrl(connectionString, given)
  // The server cuts longer names without a word, and two of them may then be one.
  if (typeof schema !== 'string' || schema === '' || Buffer.byteLength(schema) > 63 || schema.includes('\u0000')) {
    throw refused('A schema needs a name of 1 to 63 bytes.', 'schema')
  }
  const config: ClientConfig = { application_name: 'holdfast' }
  if (connectionString !== undefined) config.connectionString = connectionString
  for (const field of given) Object.assign(config, { [field]: options[field] })
  if (options.ssl !== undefined) config.ssl = options.ssl
  return {
    pool,
    config,
    maxConnections: whole(options.maxConnections, 10, 'maxConnections'),
    schema,
    mayMigrate: flag(options.migrate, 'migrate') ?? true,
    rowLevelSecurity: flag(options.rowLevelSecurity, 'rowLevelSecurity'),
    pooler: flag(options.pooler, 'pooler'),
    connectTimeoutMs: whole(options.connectTimeoutMs, 5_000, 'connectTimeoutMs'),
    statementTimeoutMs: whole(statementTimeoutMs, 30_000, 'statementTimeoutMs'),
    limited: statementTimeoutMs !== undefined,
  }
}

/** What is no URL is never repeated: it may well hold a password. */
function checkUrl(text: string, given: readonly string[]): void {
  if (typeof text !== 'string' || !/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) {
    throw refused('A connection string begins with postgres:// and is a URL.', 'connectionString')
  }
  const [field] = given
  // The driver lets the URL win without a word, and a store then runs as somebody else.
  if (field !== undefined) throw refused('It stands in the connection string already.', field)
}

function whole(value: number | undefined, otherwise: number, path: string): number {
  if (value === undefined) return otherwise
  if (!Number.isInteger(value) || value < 1 || value > 2 ** 31 - 1)
    throw refused('It must be a whole number above 0.', path)
  return value
}

function flag(value: boolean | undefined, path: string): boolean | undefined {
  if (value !== undefined && typeof value !== 'boolean') throw refused('It must be true or false.', path)
  return value
}

function refused(message: string, path: string): HoldfastError {
  return new HoldfastError('invalid', message, { entity: 'store', path })
}
