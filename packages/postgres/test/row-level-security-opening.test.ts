import { migratePostgres, openPostgresStore, rowLevelSecuritySql } from '@holdfast/postgres'
import { describe, expect, it } from 'vitest'
import { guardedPlace, placeWithRoles } from './support/guarded.js'
import { as, grantsOf, guardedDatabase, newName, run } from './support/places.js'
import { connected, ownDatabase } from './support/servers.js'
import { openStore } from './support/stores.js'

/** All that the server keeps about row-level security of the tables in a schema. */
async function securityOf(url: string, schema: string): Promise<readonly unknown[]> {
  const client = await connected(url)
  // The server then leaves the schema out where it names a table.
  await client.query(`select set_config('search_path', $1, false)`, [schema])
  const { rows } = await client.query(
    `select c.relname, c.relrowsecurity, c.relforcerowsecurity, p.polname, p.polcmd, p.polpermissive, p.polroles,
       pg_get_expr(p.polqual, c.oid) as using, pg_get_expr(p.polwithcheck, c.oid) as checks
     from pg_class c left join pg_policy p on p.polrelid = c.oid
     where c.relnamespace = $1::regnamespace and c.relkind = 'r' order by 1, 4`,
    [schema],
  )
  return rows
}

describe('row-level security', () => {
  it('is forced on every table that has a scope, and on the table of scopes', async () => {
    const { url, schema } = await guardedPlace()
    const client = await connected(url)
    const { rows } = await client.query(
      `select c.relname as name from pg_class c where c.relnamespace = $1::regnamespace and c.relkind = 'r'
         and not (c.relrowsecurity and c.relforcerowsecurity and exists (select from pg_policy where polrelid = c.oid))`,
      [schema],
    )
    expect(rows).toEqual([{ name: 'holdfast_migrations' }])
  })

  it('is the same when somebody runs the printed SQL by hand', async () => {
    const { url, schema, runner } = await guardedPlace()
    const byHand = 'by "hand"'
    await migratePostgres({ connectionString: url, schema: byHand })
    await run(url, rowLevelSecuritySql({ schema: byHand }))
    await run(url, rowLevelSecuritySql({ schema: byHand }))
    expect(await securityOf(url, '"by ""hand"""')).toEqual(await securityOf(url, schema))
    await run(url, `grant usage on schema "by ""hand""" to public`)
    await run(url, `grant all on all tables in schema "by ""hand""" to public`)
    await run(url, `grant all on all sequences in schema "by ""hand""" to public`)
    const store = await openStore({ connectionString: runner, schema: byHand, migrate: false, rowLevelSecurity: true })
    await store.scope('a').sessions.create({ id: 's' })
    expect(await store.admin.scopes.list()).toMatchObject({ items: ['a'] })
  })

  it.each([17, 18] as const)('is recognised in the words of version %i of the server', async (version) => {
    const { url, ...roles } = await guardedDatabase(version)
    const [migrator, runner] = [as(url, roles.migrator), as(url, roles.runner)]
    // One schema is on the search path, and of the others no name is without its quotes.
    for (const schema of ['public', 'Not "plain"', 'select']) {
      await run(url, grantsOf(schema, roles.migrator, roles.runner))
      await migratePostgres({ connectionString: migrator, schema, rowLevelSecurity: true })
      await openStore({ connectionString: runner, schema, migrate: false, rowLevelSecurity: true, maxConnections: 1 })
    }
  })

  it('comes to a store that was opened without it before, with all that it holds', async () => {
    const { schema, migrator, runner } = await placeWithRoles()
    await migratePostgres({ connectionString: migrator, schema })
    const before = await openStore({ connectionString: runner, schema, migrate: false })
    expect(before.capabilities.rowLevelSecurity).toBe(false)
    await before.scope('a').sessions.create({ id: 's' })
    await migratePostgres({ connectionString: migrator, schema, rowLevelSecurity: true })
    const after = await openStore({ connectionString: runner, schema, migrate: false })
    expect(after.capabilities.rowLevelSecurity).toBe(true)
    expect(await after.scope('a').sessions.get('s')).toMatchObject({ id: 's' })
  })
})

describe('opening a store', () => {
  it('follows the tables when nothing is said about row-level security', async () => {
    const { runner, schema } = await guardedPlace()
    const guarded = await openStore({ connectionString: runner, schema })
    expect(guarded.capabilities.rowLevelSecurity).toBe(true)
    const plain = await openStore({ connectionString: await ownDatabase() })
    expect(plain.capabilities.rowLevelSecurity).toBe(false)
  })

  it.each(['superuser', 'bypassrls'])('is refused to a role with %s', async (attribute) => {
    const { url, schema } = await guardedPlace()
    const role = newName('role')
    await run(
      url,
      `create role ${role} login ${attribute} password '${role}'; grant usage on schema ${schema} to ${role};
      grant all on all tables in schema ${schema} to ${role}`,
    )
    for (const options of [{}, { rowLevelSecurity: true }]) {
      await expect(
        openPostgresStore({ connectionString: as(url, role), schema, migrate: false, ...options }),
      ).rejects.toMatchObject({
        code: 'unauthorized',
        path: 'rowLevelSecurity',
        message: expect.stringContaining(role),
      })
    }
  })

  it('is refused when row-level security is wanted and off', async () => {
    const { schema, migrator, runner } = await placeWithRoles()
    await migratePostgres({ connectionString: migrator, schema })
    await expect(
      openPostgresStore({ connectionString: runner, schema, migrate: false, rowLevelSecurity: true }),
    ).rejects.toMatchObject({ code: 'schema_missing', path: 'holdfast_scopes' })
  })

  it('is refused when row-level security is not wanted and on', async () => {
    const { runner, schema } = await guardedPlace()
    await expect(
      openPostgresStore({ connectionString: runner, schema, migrate: false, rowLevelSecurity: false }),
    ).rejects.toMatchObject({ code: 'invalid', path: 'rowLevelSecurity' })
  })

  it.each([
    ['is not forced', 'alter table holdfast_parts no force row level security'],
    ['is off', 'alter table holdfast_parts disable row level security'],
    ['has no policy', 'drop policy holdfast_scope on holdfast_parts'],
    ['lets everybody read', 'alter policy holdfast_scope on holdfast_parts using (true)'],
    ['lets everybody write', 'alter policy holdfast_scope on holdfast_parts with check (true)'],
    ['is for reading only', replaced('for select using (CONDITION)')],
    ['is for one role only', replaced('to pg_monitor using (CONDITION) with check (CONDITION)')],
    ['only restricts', replaced('as restrictive using (CONDITION) with check (CONDITION)')],
    [
      'asks another table of that name',
      `create schema others; create table others.holdfast_scopes (key bigint, id text);
       ${replaced('using (CONDITION) with check (CONDITION)').replaceAll('from holdfast_scopes', 'from others.holdfast_scopes')}`,
    ],
  ])('is refused when it %s on a table, and repaired by the role that migrates', async (_, damage) => {
    const { url, schema, migrator, runner } = await guardedPlace()
    const whole = await securityOf(url, schema)
    const client = await connected(url)
    await client.query(`set search_path to ${schema}`)
    await client.query(damage)
    for (const options of [{}, { rowLevelSecurity: true }, { rowLevelSecurity: false }]) {
      await expect(
        openPostgresStore({ connectionString: runner, schema, migrate: false, ...options }),
      ).rejects.toMatchObject({
        code: 'schema_missing',
        path: 'holdfast_parts',
        message: expect.stringContaining('holdfast_parts'),
      })
    }
    await migratePostgres({ connectionString: migrator, schema, rowLevelSecurity: true })
    expect(await securityOf(url, schema)).toEqual(whole)
    const store = await openStore({ connectionString: runner, schema, migrate: false, rowLevelSecurity: true })
    expect(store.capabilities.rowLevelSecurity).toBe(true)
  })

  it('is refused when another policy lets more through, and not when one restricts', async () => {
    const { url, schema, migrator, runner } = await guardedPlace()
    const open = () => openPostgresStore({ connectionString: runner, schema, migrate: false, rowLevelSecurity: true })
    const table = `${schema}.holdfast_labels`
    await run(url, `create policy others on ${table} as restrictive using (kind <> 'secret')`)
    await (await open()).close()
    await run(url, `create policy wide on ${table} using (true)`)
    await expect(open()).rejects.toMatchObject({ code: 'schema_missing', path: 'holdfast_labels' })
    await expect(migratePostgres({ connectionString: migrator, schema, rowLevelSecurity: true })).rejects.toMatchObject(
      { code: 'schema_missing', path: 'holdfast_labels' },
    )
    await run(url, `drop policy wide on ${table}`)
    await (await open()).close()
  })

  it('is refused when policies of others would hide rows from it, and not when they do not bind its role', async () => {
    const { schema, url, migrator, runner } = await placeWithRoles()
    await migratePostgres({ connectionString: migrator, schema })
    await run(url, `alter table ${schema}.holdfast_messages enable row level security`)
    await expect(openPostgresStore({ connectionString: runner, schema, migrate: false })).rejects.toMatchObject({
      code: 'schema_missing',
      path: 'holdfast_messages',
    })
    const owner = await openStore({ connectionString: migrator, schema })
    await owner.scope('a').sessions.create({ id: 's' })
    expect(owner.capabilities.rowLevelSecurity).toBe(false)
  })

  /** The policy made again, in another way. */
  function replaced(definition: string): string {
    const condition = `scope = (select key from holdfast_scopes where id = nullif(current_setting('holdfast.scope', true), ''))
      or current_setting('holdfast.across', true) = 'on'`
    return `drop policy holdfast_scope on holdfast_parts;
      create policy holdfast_scope on holdfast_parts ${definition.replaceAll('CONDITION', condition)}`
  }
})
