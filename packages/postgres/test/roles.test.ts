import { migratePostgres, openPostgresStore, rolesSql } from '@holdfast/postgres'
import { describe, expect, it } from 'vitest'
import { type PlaceWithRoles, placeWithRoles } from './support/guarded.js'
import { as, newName, run } from './support/places.js'
import { connected, ownDatabase } from './support/servers.js'
import { expectWhole, openStore, saying, threadOf } from './support/stores.js'

/** Uses some of everything: each kind of table, each kind of statement, and administration. */
async function useStore(place: PlaceWithRoles, rowLevelSecurity: boolean): Promise<void> {
  const { schema, migrator, runner } = place
  await migratePostgres({ connectionString: migrator, schema, rowLevelSecurity })
  const store = await openStore({ connectionString: runner, schema, migrate: false, rowLevelSecurity })
  const scope = store.scope('a')
  const { id } = await scope.sessions.create({ title: 'Trip to Oslo' })
  await scope.messages.appendAll(id, [saying('Two days'), saying('Three days')])
  await scope.sessions.update(id, { title: 'Trip to Bergen' })
  await scope.tags.set(id, ['north'])
  await scope.events.add(id, { type: 'noted', payload: { by: 'rail' } })
  const fork = await scope.sessions.fork(id)
  expect(await threadOf(scope, fork.id)).toHaveLength(2)
  await scope.sessions.delete(id)
  await expectWhole(store)
  await store.admin.scopes.delete('a')
  await store.admin.sweep()
  expect((await store.admin.stats()).rows).toMatchObject({ scopes: 0, sessions: 0, messages: 0, parts: 0 })
}

describe('the roles that the library prints the SQL for', () => {
  it.each([true, false])('do their work, with row-level security: %s', async (rowLevelSecurity) => {
    await useStore(await placeWithRoles(), rowLevelSecurity)
  })

  it('may have any names', async () => {
    await useStore(
      await placeWithRoles({ schema: 'My "Own" Schema', migrator: 'The "Owner"', runner: "A'Runner" }),
      true,
    )
  })

  it('are enough in the schema public, too', async () => {
    await useStore(await placeWithRoles({ schema: 'public', migrator: 'migrator', runner: 'runner' }), true)
  })

  it('can be created by somebody who is no superuser', async () => {
    const url = await ownDatabase()
    const [admin, migrator, runner] = ['admin', 'migrator', 'runner'].map(newName) as [string, string, string]
    const database = new URL(url).pathname.slice(1)
    await run(
      url,
      `create role ${admin} login createrole password '${admin}'; alter database ${database} owner to ${admin}`,
    )
    const asAdmin = as(url, admin)
    await run(asAdmin, rolesSql({ schema: 'hosts', migrator, runner }))
    for (const role of [migrator, runner]) await run(asAdmin, `alter role ${role} password '${role}'`)
    await useStore({ schema: 'hosts', url, migrator: as(url, migrator), runner: as(url, runner) }, true)
    // Nothing is left of what it needed for that.
    const client = await connected(asAdmin)
    const { rows } = await client.query(`select pg_has_role($1, $2, 'usage') as usage`, [admin, migrator])
    expect(rows).toEqual([{ usage: false }])
  })
})

describe('the role that the store runs as', () => {
  it('can change nothing but rows', async () => {
    const { schema, migrator, runner } = await placeWithRoles()
    await migratePostgres({ connectionString: migrator, schema, rowLevelSecurity: true })
    const client = await connected(runner)
    await client.query(`set search_path to ${schema}`)
    const owner = new URL(migrator).username
    for (const statement of [
      'create table another (id int)',
      'create index another on holdfast_sessions (title)',
      'create trigger another before update on holdfast_labels execute function suppress_redundant_updates_trigger()',
      'alter table holdfast_sessions add column another text',
      'drop table holdfast_labels',
      'drop index holdfast_labels_value',
      'truncate holdfast_labels',
      'alter table holdfast_labels disable row level security',
      'alter table holdfast_labels no force row level security',
      'alter policy holdfast_scope on holdfast_labels using (true)',
      'create policy another on holdfast_labels using (true)',
      'drop policy holdfast_scope on holdfast_labels',
      'alter sequence holdfast_sessions_key_seq restart',
      `alter default privileges for role ${owner} grant all on tables to public`,
      `set role ${owner}`,
      'alter role current_user bypassrls',
    ]) {
      await expect(client.query(statement), statement).rejects.toMatchObject({ code: '42501' })
    }
  })

  it('is told what is missing before anybody has migrated', async () => {
    const { schema, runner } = await placeWithRoles()
    await expect(openPostgresStore({ connectionString: runner, schema, migrate: false })).rejects.toMatchObject({
      code: 'schema_missing',
    })
  })

  it('is refused when it tries to migrate', async () => {
    const { schema, runner } = await placeWithRoles()
    await expect(openPostgresStore({ connectionString: runner, schema })).rejects.toMatchObject({
      code: 'unauthorized',
    })
  })
})
