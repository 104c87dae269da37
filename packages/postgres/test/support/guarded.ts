import { migratePostgres, type PostgresStore, rolesSql } from '@holdfast/postgres'
import { escapeIdentifier, escapeLiteral } from 'pg'
import { as, newName, run } from './places.js'
import { ownDatabase } from './servers.js'
import { openStore } from './stores.js'

/** A database with the roles that the library prints the SQL for. */
export interface PlaceWithRoles {
  readonly schema: string
  /** The URL of a superuser. */
  readonly url: string
  /** The URL of the role that owns the tables. */
  readonly migrator: string
  /** The URL of the role that the store runs as. */
  readonly runner: string
}

export async function placeWithRoles(names = { schema: 'hosts', migrator: 'migrator', runner: 'runner' }) {
  const url = await ownDatabase()
  // Roles belong to the whole server, which other tests use, too.
  const [migrator, runner] = [newName(names.migrator), newName(names.runner)]
  await run(url, rolesSql({ schema: names.schema, migrator, runner }))
  for (const role of [migrator, runner]) {
    await run(url, `alter role ${escapeIdentifier(role)} password ${escapeLiteral(role)}`)
  }
  return { schema: names.schema, url, migrator: as(url, migrator), runner: as(url, runner) } satisfies PlaceWithRoles
}

export interface GuardedPlace extends PlaceWithRoles {
  /** Runs as the role for it. */
  readonly store: PostgresStore
}

/** The same, where the server keeps scopes apart. */
export async function guardedPlace(): Promise<GuardedPlace> {
  const place = await placeWithRoles()
  const { schema, migrator, runner } = place
  await migratePostgres({ connectionString: migrator, schema, rowLevelSecurity: true })
  const store = await openStore({ connectionString: runner, schema, migrate: false, maxConnections: 3 })
  return { ...place, store }
}
