import { type Call, type Clock, HoldfastError } from '@holdfast/core'
import type { SchemaReads, SchemaSession, SqlExecutor } from '../executor.js'
import type { FoundTable, SchemaTraits } from '../traits.js'
import { type Difference, differences } from './compare.js'
import { additionsOf, arrangedTable, literal } from './ddl.js'
import { libraryVersion } from './library-version.js'
import { appliedMigrations, type Change, type Migration, promisedTables } from './migration.js'
import { migrations as everyMigration } from './migrations.js'
import type { Table } from './shape.js'

export interface MigrateOptions {
  readonly clock: Clock
  /** Saves the database as it is, under the lock, before a migration that cannot be taken back. */
  readonly backup: (version: number) => Promise<void>
  readonly migrations?: readonly Migration[]
}

export interface AssessOptions {
  /** Whether what is missing may be added afterwards; otherwise it is `schema_missing`. */
  readonly mayMigrate: boolean
  readonly migrations?: readonly Migration[]
}

/** What stands between a database and the newest schema this library knows. */
interface Standing {
  readonly version: number
  readonly repairs: readonly Difference[]
  readonly pending: readonly Migration[]
}

/** Refuses a database that this library cannot use, without writing: `schema_newer` or `schema_missing`. */
export async function assessSchema(
  executor: SqlExecutor,
  traits: SchemaTraits,
  { mayMigrate, migrations = everyMigration }: AssessOptions,
): Promise<void> {
  const reads = outsideOf(executor)
  const standing = await standingOf(reads, traits, migrations)
  if (mayMigrate || isCurrent(standing)) return
  throw missing(differences(arrangedTables(migrations, traits), await traits.inspect(reads), traits), standing.version)
}

/**
 * Brings a database to the newest schema. All of it is one transaction under the lock that keeps other processes out,
 * and what is to be done is decided again inside it: somebody else may have done it in the meantime.
 */
export async function migrate(executor: SqlExecutor, traits: SchemaTraits, options: MigrateOptions): Promise<void> {
  const migrations = options.migrations ?? everyMigration
  if (isCurrent(await standingOf(outsideOf(executor), traits, migrations))) return
  await executor.exclusively(async (session) => {
    const standing = await standingOf(session, traits, migrations)
    const rebuilds = standing.pending.some(({ changes }) => changes.some(({ kind }) => kind === 'rebuild'))
    if (rebuilds && standing.version > 0) await options.backup(standing.version)
    if (standing.version === 0) {
      await apply(session, traits, new Map(), { kind: 'create table', table: appliedMigrations })
    }
    for (const { repair } of standing.repairs) if (repair !== undefined) await apply(session, traits, new Map(), repair)
    for (const migration of standing.pending)
      await applyMigration(session, traits, migrations, migration, options.clock)
    if (rebuilds) await checkReferences(session, traits, [...promisedTables(migrations).keys()])
  })
}

function isCurrent({ pending, repairs }: Standing): boolean {
  return pending.length === 0 && repairs.length === 0
}

async function standingOf(
  session: SchemaReads,
  traits: SchemaTraits,
  migrations: readonly Migration[],
): Promise<Standing> {
  const { found, version, minReader } = await lookAt(session, traits)
  const newest = migrations.at(-1)?.version ?? 0
  if (minReader > newest) {
    throw new HoldfastError(
      'schema_newer',
      `The database has version ${version} of the schema, for libraries that know ${minReader}; this one knows ${newest}.`,
      { entity: 'store' },
    )
  }
  const pending = migrations.filter((migration) => migration.version > version)
  if (version === 0) {
    refuseTaken(found, promisedTables(pending))
    return { version, pending, repairs: [] }
  }
  const promised = arrangedTables(
    migrations.filter((migration) => migration.version <= version),
    traits,
  )
  const repairs = differences(promised, found, traits)
  // What a newer library made is not for this one to repair.
  const hopeless = version > newest ? repairs : repairs.filter(({ repair }) => repair === undefined)
  if (hopeless.length > 0) throw missing(hopeless, version)
  return { version, pending, repairs }
}

function arrangedTables(migrations: readonly Migration[], traits: SchemaTraits): readonly Table[] {
  return [...promisedTables(migrations).values()].map((table) => arrangedTable(table, traits))
}

interface Look {
  readonly found: readonly FoundTable[]
  readonly version: number
  readonly minReader: number
}

/** Versions only grow, so a shape read between two equal versions belongs to that version, also without a lock. */
async function lookAt(session: SchemaReads, traits: SchemaTraits): Promise<Look> {
  let before = await glanceAt(session, traits)
  for (;;) {
    const now = await glanceAt(session, traits)
    if (now.version === before.version) return now
    before = now
  }
}

async function glanceAt(session: SchemaReads, traits: SchemaTraits): Promise<Look> {
  const found = await traits.inspect(session)
  const recorded = found.some(({ name }) => name === appliedMigrations.name)
  const [row] = recorded
    ? await session.all(`select max("version"), max("min_reader") from ${traits.tableName(appliedMigrations.name)}`)
    : []
  return { found, version: Number(row?.[0] ?? 0), minReader: Number(row?.[1] ?? 0) }
}

/** Tables of the library without a record of how they came to be cannot be trusted, and must not be written over. */
function refuseTaken(found: readonly FoundTable[], promised: ReadonlyMap<string, Table>): void {
  const taken = found.find(({ name }) => promised.has(name))?.name
  if (taken === undefined) return
  throw new HoldfastError(
    'schema_missing',
    `${taken} is there, but ${appliedMigrations.name} does not say which version of the schema made it.`,
    { entity: 'store', path: appliedMigrations.name },
  )
}

function missing(found: readonly Difference[], version: number): HoldfastError {
  const list = found.map(({ place, problem }) => `${place} ${problem}`).join(', ')
  return new HoldfastError(
    'schema_missing',
    `The database has version ${version} of the schema, and that is not what this library needs: ${list}.`,
    { entity: 'store', ...(found[0] !== undefined && { path: found[0].place }) },
  )
}

async function applyMigration(
  session: SchemaSession,
  traits: SchemaTraits,
  migrations: readonly Migration[],
  migration: Migration,
  clock: Clock,
): Promise<void> {
  const { version, name, minReader, changes } = migration
  const before = migrations.filter((earlier) => earlier.version < version)
  for (const [at, change] of changes.entries()) {
    const tables = promisedTables([...before, { ...migration, changes: changes.slice(0, at) }])
    await apply(session, traits, tables, change)
  }
  const values = [version, name, clock(), libraryVersion, minReader].map(literal).join(', ')
  await session.run(
    `insert into ${traits.tableName(appliedMigrations.name)} ("version", "name", "applied_at", "library_version", "min_reader") values (${values})`,
  )
}

async function apply(
  session: SchemaSession,
  traits: SchemaTraits,
  tables: ReadonlyMap<string, Table>,
  change: Change,
): Promise<void> {
  if (change.kind === 'rebuild') {
    const before = tables.get(change.table.name)
    if (before === undefined) throw new TypeError(`No migration before creates ${change.table.name}.`)
    return traits.rebuild(session, before, change)
  }
  for (const statement of additionsOf(change, traits)) await session.run(statement)
}

async function checkReferences(session: SchemaReads, traits: SchemaTraits, tables: readonly string[]): Promise<void> {
  const broken = await traits.brokenReferences(session, tables)
  if (broken.length === 0) return
  throw new HoldfastError('corrupt', `Rows of ${broken.join(', ')} refer to rows that are not there.`, {
    entity: 'store',
  })
}

/** Reads without the lock. Each statement has a snapshot of its own, which is enough to see whether the lock is needed. */
function outsideOf(executor: SqlExecutor): SchemaReads {
  const call: Call = { signal: undefined, retries: 0 }
  return {
    async all(text) {
      const [rows = []] = await executor.read(
        [{ statement: { text, returns: true }, values: [] }],
        { scope: null },
        call,
      )
      return rows
    },
  }
}
