import { randomBytes } from 'node:crypto'
import type { Harness, Place } from '@holdfast/conformance'
import { migratePostgres, openPostgresStore, rolesSql } from '@holdfast/postgres'
import { type PostgresVersion, postgresDatabase, type TestDatabase } from '@holdfast/servers'
import { Client } from 'pg'

/** What another process must know to open the same store. */
interface Site {
  /** The URL of the role that the store runs as. */
  readonly url: string
  readonly schema: string
  /** The URL of the role that migrates, where it is another. */
  readonly migrator?: string
}

/** The suite opens stores in eight processes at once, and a server has a hundred connections. */
const maxConnections = 4

function placeAt(token: string): Place {
  const { url, schema, migrator }: Site = JSON.parse(token)
  return {
    token,
    async open(options) {
      if (migrator === undefined) {
        return openPostgresStore({ ...options, connectionString: url, schema, maxConnections })
      }
      await migratePostgres({ connectionString: migrator, schema, rowLevelSecurity: true })
      return openPostgresStore({
        ...options,
        connectionString: url,
        schema,
        maxConnections,
        migrate: false,
        rowLevelSecurity: true,
      })
    },
    // The whole database goes when the server does.
    remove: async () => undefined,
  }
}

/** A schema of its own for every test, in one database. */
export function harnessOn(version: PostgresVersion, module: string): Harness {
  let database: Promise<TestDatabase> | undefined
  return {
    name: `postgres ${version}`,
    module,
    async place() {
      database ??= postgresDatabase(version)
      const { url } = await database
      return placeAt(JSON.stringify({ url, schema: newName('place') } satisfies Site))
    },
    placeOf: placeAt,
  }
}

/** The same, with the server keeping scopes apart, as a role that neither owns anything nor is a superuser. */
export function guardedHarnessOn(version: PostgresVersion, module: string): Harness {
  let setup: Promise<Guarded> | undefined
  return {
    name: `postgres ${version} with row-level security`,
    module,
    async place() {
      setup ??= guardedDatabase(version)
      const { url, migrator, runner } = await setup
      const schema = newName('place')
      await run(url, grantsOf(schema, migrator, runner))
      return placeAt(JSON.stringify({ url: as(url, runner), migrator: as(url, migrator), schema } satisfies Site))
    },
    placeOf: placeAt,
  }
}

export interface Guarded {
  readonly url: string
  readonly migrator: string
  readonly runner: string
}

/** A database with the two roles that the library says how to create. */
export async function guardedDatabase(version: PostgresVersion): Promise<Guarded> {
  const { url } = await postgresDatabase(version)
  const [migrator, runner] = [newName('migrator'), newName('runner')]
  await run(url, rolesSql({ schema: newName('first'), migrator, runner }))
  await run(url, [migrator, runner].map((role) => `alter role ${role} password '${role}'`).join(';'))
  return { url, migrator, runner }
}

/** What the roles need for another schema; they are there already. */
export function grantsOf(schema: string, migrator: string, runner: string): string {
  const statements = rolesSql({ schema, migrator, runner }).split(';\n')
  return statements.filter((statement) => !statement.startsWith('create role')).join(';\n')
}

export function newName(kind: string): string {
  return `${kind}_${randomBytes(6).toString('hex')}`
}

/** The URL of a role whose password is its name. */
export function as(url: string, role: string): string {
  const changed = new URL(url)
  changed.username = role
  changed.password = role
  return changed.href
}

export async function run(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
