import type { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { type GuardedPlace, guardedPlace } from './support/guarded.js'
import { connected } from './support/servers.js'
import { expectWhole, openStore, saying } from './support/stores.js'

// What the server itself allows, asked with plain SQL: no statement of the library is needed to keep scopes apart.

const tables = [
  'holdfast_scopes',
  'holdfast_sessions',
  'holdfast_branches',
  'holdfast_messages',
  'holdfast_parts',
  'holdfast_labels',
  'holdfast_journal',
] as const

/** The scopes `a` and `b`, each with a row in every table. */
async function twoScopes(): Promise<GuardedPlace> {
  const place = await guardedPlace()
  for (const id of ['a', 'b']) {
    const scope = place.store.scope(id)
    await scope.sessions.create({ id: `session of ${id}` })
    await scope.messages.append(`session of ${id}`, { id: `message of ${id}`, ...saying(`in ${id}`) })
    await scope.tags.add(`session of ${id}`, [`tag of ${id}`])
    await scope.events.add(`session of ${id}`, { type: 'noted' })
  }
  return place
}

async function counts(client: Client, schema: string): Promise<Readonly<Record<string, number>>> {
  const found: [string, number][] = []
  for (const table of tables) {
    const { rows } = await client.query(`select count(*)::int as count from ${schema}.${table}`)
    found.push([table, rows[0]?.count])
  }
  return Object.fromEntries(found)
}

const none = Object.fromEntries(tables.map((table) => [table, 0]))

async function scopeKeys({ url, schema }: GuardedPlace): Promise<Readonly<Record<string, string>>> {
  const client = await connected(url)
  const { rows } = await client.query(`select id, key from ${schema}.holdfast_scopes`)
  return Object.fromEntries(rows.map(({ id, key }) => [id, key]))
}

/** A transaction that has named a scope, as the store does it. */
async function begin(client: Client, scope: string): Promise<void> {
  await client.query('begin')
  await client.query(`select set_config('holdfast.scope', $1, true)`, [scope])
}

describe.each(['runner', 'migrator'] as const)('the %s', (role) => {
  it('sees no row of any table without a scope', async () => {
    const place = await twoScopes()
    const client = await connected(place[role])
    expect(await counts(client, place.schema)).toEqual(none)
    await begin(client, '')
    expect(await counts(client, place.schema)).toEqual(none)
    await begin(client, 'no such scope')
    expect(await counts(client, place.schema)).toEqual(none)
  })

  it('sees the rows of the scope that it has named, until the transaction ends', async () => {
    const place = await twoScopes()
    const { schema } = place
    const client = await connected(place[role])
    for (const end of ['commit', 'rollback']) {
      for (const scope of ['a', 'b']) {
        await begin(client, scope)
        expect(Object.values(await counts(client, schema)).every((count) => count > 0)).toBe(true)
        const { rows } = await client.query(
          `select s.id as session, m.id as message, l.value as tag from ${schema}.holdfast_sessions s,
             ${schema}.holdfast_messages m, ${schema}.holdfast_labels l`,
        )
        expect(rows).toEqual([
          { session: `session of ${scope}`, message: `message of ${scope}`, tag: `tag of ${scope}` },
        ])
        await client.query(end)
        expect(await counts(client, schema)).toEqual(none)
      }
    }
  })

  it('can neither put a row into another scope nor move one there', async () => {
    const place = await twoScopes()
    const { schema } = place
    const keys = await scopeKeys(place)
    const client = await connected(place[role])
    const label = (scope: unknown) =>
      `insert into ${schema}.holdfast_labels select ${scope}, session, kind, 'another' from ${schema}.holdfast_labels`
    const attempts = [
      label(keys.b),
      `update ${schema}.holdfast_sessions set scope = ${keys.b}`,
      `insert into ${schema}.holdfast_scopes (id, created_at) values ('c', 1)`,
      `update ${schema}.holdfast_scopes set id = 'c'`,
      `update ${schema}.holdfast_scopes set id = null`,
    ]
    for (const attempt of attempts) {
      await begin(client, 'a')
      await expect(client.query(attempt), attempt).rejects.toMatchObject({ code: '42501' })
      await client.query('rollback')
    }
    await begin(client, 'a')
    await client.query(label(keys.a))
    await client.query('commit')
    expect(await place.store.scope('a').tags.of('session of a')).toEqual(['another', 'tag of a'])
  })

  it('changes and deletes nothing in another scope', async () => {
    const place = await twoScopes()
    const keys = await scopeKeys(place)
    const client = await connected(place[role])
    await begin(client, 'a')
    for (const table of tables) {
      const key = table === 'holdfast_scopes' ? 'key' : 'scope'
      const { rowCount } = await client.query(`delete from ${place.schema}.${table} where ${key} = ${keys.b}`)
      expect(rowCount, table).toBe(0)
    }
    const { rowCount } = await client.query(
      `update ${place.schema}.holdfast_sessions set title = 'x' where id = 'session of b'`,
    )
    expect(rowCount).toBe(0)
  })

  it('sees all of them where it says that it does administration', async () => {
    const place = await twoScopes()
    const client = await connected(place[role])
    await client.query('begin')
    await client.query(`select set_config('holdfast.across', 'on', true)`)
    expect((await client.query(`select id from ${place.schema}.holdfast_scopes order by id`)).rows).toEqual([
      { id: 'a' },
      { id: 'b' },
    ])
    await client.query('commit')
    expect(await counts(client, place.schema)).toEqual(none)
  })
})

describe('a store under row-level security', () => {
  it('says so', async () => {
    const { store } = await guardedPlace()
    expect(store.capabilities.rowLevelSecurity).toBe(true)
  })

  it('does administration across scopes', async () => {
    const { store } = await twoScopes()
    expect((await store.admin.scopes.list()).items).toEqual(['a', 'b'])
    expect((await store.admin.stats()).rows).toMatchObject({ scopes: 2, sessions: 2, messages: 2, labels: 2 })
    expect((await store.admin.scopes.stats('a')).rows).toMatchObject({ scopes: 1, sessions: 1, messages: 1 })
    await expectWhole(store)
    await store.scope('b').sessions.delete('session of b')
    await store.admin.sweep()
    expect((await store.admin.stats()).rows).toMatchObject({ sessions: 1, messages: 1, parts: 1, labels: 1 })
    await store.admin.scopes.delete('a')
    await store.admin.sweep()
    expect((await store.admin.stats()).rows).toMatchObject({ sessions: 0, branches: 0, messages: 0, journal: 0 })
    expect((await store.admin.scopes.list()).items).toEqual([])
    await expectWhole(store)
  })

  it('gives a connection back without a scope', async () => {
    const { runner, schema } = await twoScopes()
    const store = await openStore({ connectionString: runner, schema, migrate: false, maxConnections: 1 })
    const names: unknown[] = []
    for (const scope of ['a', 'b', 'a']) {
      const { items } = await store.scope(scope).sessions.list()
      names.push(...items.map(({ id }) => id))
      await expect(store.scope(scope === 'a' ? 'b' : 'a').sessions.get(`session of ${scope}`)).rejects.toMatchObject({
        code: 'not_found',
      })
    }
    expect(names).toEqual(['session of a', 'session of b', 'session of a'])
  })
})
