import { type Client, Pool } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { guardedPlace } from './support/guarded.js'
import { placeWithOrders, sessionsOf } from './support/orders.js'
import { connected } from './support/servers.js'
import { expectWhole, openStore, saying, textOf, threadOf } from './support/stores.js'

describe('a scope that came into being in a transaction which was rolled back', () => {
  it('is none to the store, whoever creates it then', async () => {
    const { url, store, client } = await placeWithOrders()
    await client.query('begin')
    const inside = store.within(client)
    await inside.scope('a').sessions.create({ id: 'lost' })
    await inside.scope('a').messages.append('lost', saying('Two days'))
    await client.query('rollback')

    const other = await openStore({ connectionString: url, maxConnections: 1 })
    await other.scope('a').sessions.create({ id: 'of another' })
    await store.scope('a').messages.append('of another', saying('outside'))
    await store.scope('a').sessions.create({ id: 'outside' })
    await client.query('begin')
    await inside.scope('a').messages.append('of another', saying('inside'))
    await inside.scope('a').sessions.create({ id: 'inside' })
    await client.query('commit')

    expect(await sessionsOf(store, 'a')).toEqual(['inside', 'of another', 'outside'])
    expect((await threadOf(other.scope('a'), 'of another')).map(textOf)).toEqual(['outside', 'inside'])
    expect((await client.query('select id from holdfast_scopes')).rows).toEqual([{ id: 'a' }])
    await expectWhole(store)
  })
})

describe('a connection that is in no transaction', () => {
  it('is refused, and nothing is written', async () => {
    const { store, client } = await placeWithOrders()
    const inside = store.within(client).scope('a')
    for (const call of [() => inside.sessions.create({ id: 's' }), () => inside.sessions.list()]) {
      await expect(call()).rejects.toMatchObject({ code: 'invalid', path: 'client' })
    }
    expect(await sessionsOf(store, 'a')).toEqual([])
    await client.query('begin')
    await inside.sessions.create({ id: 's' })
    await client.query('commit')
    expect(await sessionsOf(store, 'a')).toEqual(['s'])
  })

  it('is not a pool', async () => {
    const { url, store } = await placeWithOrders()
    const pool = new Pool({ connectionString: url })
    onTestFinished(() => pool.end())
    // A caller without types may give anything.
    for (const given of [pool, undefined, {}] as unknown as Client[]) {
      expect(() => store.within(given)).toThrow(expect.objectContaining({ code: 'invalid', path: 'client' }))
    }
  })
})

describe('a transaction that has failed', () => {
  it('is refused with words that say so, and its connection is as good as before', async () => {
    const { store, client } = await placeWithOrders()
    await client.query('begin')
    await expect(client.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' })
    const inside = store.within(client).scope('a')
    for (const call of [() => inside.sessions.create({ id: 's' }), () => inside.sessions.list()]) {
      await expect(call()).rejects.toMatchObject({
        code: 'invalid',
        path: 'client',
        message: expect.stringContaining('25P02'),
      })
    }
    await client.query('rollback')
    await client.query('begin')
    await inside.sessions.create({ id: 's' })
    await client.query('commit')
    expect(await sessionsOf(store, 'a')).toEqual(['s'])
  })
})

describe('row-level security within a transaction of the caller', () => {
  async function settingsOf(client: Client): Promise<readonly (string | null)[]> {
    const { rows } = await client.query({
      text: `select current_setting('holdfast.scope', true), current_setting('holdfast.across', true)`,
      rowMode: 'array',
    })
    return rows[0] ?? []
  }

  it('leaves no scope open to the rest of the transaction', async () => {
    const { store, runner, schema } = await guardedPlace()
    const client = await connected(runner)
    await client.query('begin')
    const inside = store.within(client)
    await inside.scope('a').sessions.create({ id: 's' })
    expect(await settingsOf(client)).toEqual(['', ''])
    await inside.scope('a').sessions.get('s')
    expect(await settingsOf(client)).toEqual(['', ''])
    await expect(inside.scope('a').messages.append('nowhere', saying('x'))).rejects.toMatchObject({ code: 'not_found' })
    expect(await settingsOf(client)).toEqual(['', ''])
    await inside.admin.stats()
    expect(await settingsOf(client)).toEqual(['', ''])
    expect((await client.query(`select from ${schema}.holdfast_sessions`)).rowCount).toBe(0)
    await client.query('commit')
    expect(await sessionsOf(store, 'a')).toEqual(['s'])
  })

  it('gives the transaction back the scope that it had named itself', async () => {
    const { store, runner, schema } = await guardedPlace()
    const client = await connected(runner)
    await store.scope('b').sessions.create({ id: 'of b' })
    await client.query(`begin; select set_config('holdfast.scope', 'b', true)`)
    const inside = store.within(client)
    await inside.scope('a').sessions.create({ id: 's' })
    await inside.admin.scopes.list()
    await expect(inside.scope('a').sessions.get('of b')).rejects.toMatchObject({ code: 'not_found' })
    expect(await settingsOf(client)).toEqual(['b', ''])
    expect((await client.query(`select id from ${schema}.holdfast_sessions`)).rows).toEqual([{ id: 'of b' }])
    await client.query('commit')
    expect(await settingsOf(client)).toEqual(['', ''])
  })
})
