import type { Scope } from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { order, ordersOf, placeWithOrders, sessionsOf } from './support/orders.js'
import { connected } from './support/servers.js'
import { expectWhole, saying, textOf, threadOf } from './support/stores.js'

describe('a store within a transaction of the caller', () => {
  it('commits with it', async () => {
    const { store, client } = await placeWithOrders()
    await client.query('begin')
    const inside = store.within(client).scope('a')
    const { id } = await inside.sessions.create({ title: 'Trip to Oslo' })
    await order(client, id)
    await inside.messages.append(id, saying('Two days'))
    await client.query('commit')
    expect(await ordersOf(client)).toEqual([id])
    expect((await threadOf(store.scope('a'), id)).map(textOf)).toEqual(['Two days'])
    await expectWhole(store)
  })

  it('is rolled back with it', async () => {
    const { store, client } = await placeWithOrders()
    const kept = await store.scope('a').sessions.create()
    await client.query('begin')
    const inside = store.within(client).scope('a')
    const { id } = await inside.sessions.create()
    await order(client, id)
    await inside.messages.append(kept.id, saying('Two days'))
    await client.query('rollback')
    expect(await ordersOf(client)).toEqual([])
    expect(await sessionsOf(store, 'a')).toEqual([kept.id])
    expect(await threadOf(store.scope('a'), kept.id)).toEqual([])
    await expectWhole(store)
  })

  it('reads what the transaction wrote, which nobody else sees before the commit', async () => {
    const { store, client } = await placeWithOrders()
    const { id } = await store.scope('a').sessions.create({ agent: 'planner' })
    await client.query('begin')
    const inside = store.within(client)
    await inside.scope('a').messages.append(id, saying('Two days'))
    await client.query(`update holdfast_sessions set agent = 'driver' where id = $1`, [id])
    expect(await threadOf(inside.scope('a'), id)).toHaveLength(1)
    expect(await inside.scope('a').sessions.get(id)).toMatchObject({ agent: 'driver' })
    expect(await threadOf(store.scope('a'), id)).toHaveLength(0)
    expect(await store.scope('a').sessions.get(id)).toMatchObject({ agent: 'planner' })
    await client.query('commit')
    expect(await threadOf(store.scope('a'), id)).toHaveLength(1)
    expect(await store.scope('a').sessions.get(id)).toMatchObject({ agent: 'driver' })
  })

  it('answers a repeated call with what is stored', async () => {
    const { store, client } = await placeWithOrders()
    const before = await store.scope('a').sessions.create({ id: 'before' })
    await client.query('begin')
    const inside = store.within(client).scope('a')
    expect(await inside.sessions.create({ id: 'before' })).toEqual(before)
    const message = await inside.messages.append('before', { id: 'm', ...saying('Two days') })
    expect(await inside.messages.append('before', { id: 'm', ...saying('Two days') })).toEqual(message)
    await client.query('commit')
    expect(await threadOf(store.scope('a'), 'before')).toEqual([message])
  })

  it.each<[string, (inside: Scope) => Promise<unknown>]>([
    ['conflict', (inside) => inside.messages.append('there', saying('Two days'), { after: 'another' })],
    ['conflict', (inside) => inside.sessions.create({ id: 'there', title: 'of another input' })],
    ['not_found', (inside) => inside.messages.append('nowhere', saying('Two days'))],
    ['not_found', (inside) => inside.sessions.get('nowhere')],
    ['invalid', (inside) => inside.messages.append('there', { role: '', parts: [] })],
  ])('that refuses something with %s leaves it as it was, and usable', async (code, refused) => {
    const { store, client } = await placeWithOrders()
    await store.scope('a').sessions.create({ id: 'there' })
    await client.query('begin')
    const inside = store.within(client).scope('a')
    await order(client, 'there')
    await inside.messages.append('there', saying('before'))
    await expect(refused(inside)).rejects.toMatchObject({ code })
    await inside.messages.append('there', saying('after'))
    await client.query('commit')
    expect(await ordersOf(client)).toEqual(['there'])
    expect((await threadOf(store.scope('a'), 'there')).map(textOf)).toEqual(['before', 'after'])
    await expectWhole(store)
  })

  it('that fails leaves it as it was, and usable', async () => {
    const { url, store, client } = await placeWithOrders()
    await store.scope('a').sessions.create({ id: 'there' })
    const other = await connected(url)
    await other.query('begin')
    await other.query('select from holdfast_sessions for update')
    await client.query(`begin; set local lock_timeout = '20ms'`)
    const inside = store.within(client).scope('a')
    await order(client, 'there')
    await expect(inside.messages.append('there', saying('too early'))).rejects.toMatchObject({ code: 'busy' })
    await other.query('rollback')
    await inside.messages.append('there', saying('in time'))
    await client.query('commit')
    expect(await ordersOf(client)).toEqual(['there'])
    expect((await threadOf(store.scope('a'), 'there')).map(textOf)).toEqual(['in time'])
  })

  it.each(['mine', 'holdfast'])('keeps to a savepoint of the caller that is called %s', async (savepoint) => {
    const { store, client } = await placeWithOrders()
    await client.query('begin')
    const inside = store.within(client)
    await inside.scope('a').sessions.create({ id: 'first' })
    await client.query(`savepoint ${savepoint}`)
    await inside.scope('a').sessions.create({ id: 'second' })
    await inside.scope('b').sessions.create({ id: 'third' })
    await expect(inside.scope('b').sessions.touch('nowhere')).rejects.toMatchObject({ code: 'not_found' })
    await client.query(`rollback to savepoint ${savepoint}`)
    // The scope itself is gone again, and gets another key.
    await inside.scope('b').sessions.create({ id: 'fourth' })
    await inside.scope('b').messages.append('fourth', saying('Two days'))
    await client.query('commit')
    expect(await sessionsOf(store, 'a')).toEqual(['first'])
    expect(await sessionsOf(store, 'b')).toEqual(['fourth'])
    await expectWhole(store)
  })

  it('carries out concurrent calls one after the other, also those of another store on the connection', async () => {
    const { store, client } = await placeWithOrders()
    await client.query('begin')
    const inside = [store.within(client).scope('a'), store.within(client).scope('a')]
    await inside[0]?.sessions.create({ id: 's' })
    const appends = Array.from({ length: 40 }, (_, at) =>
      // Every fifth is refused between two that are not.
      inside[at % 2]?.messages.append(at % 5 === 0 ? 'nowhere' : 's', saying(String(at))),
    )
    const outcomes = await Promise.allSettled(appends)
    await client.query('commit')
    const refused = outcomes.map(({ status }, at) => (status === 'rejected' ? at : -1)).filter((at) => at >= 0)
    expect(refused).toEqual([0, 5, 10, 15, 20, 25, 30, 35])
    const said = (await threadOf(store.scope('a'), 's')).map(textOf)
    expect(said).toEqual(Array.from({ length: 40 }, (_, at) => String(at)).filter((at) => Number(at) % 5 !== 0))
  })

  it('sends nothing for a call that was cancelled while it waited for its turn', async () => {
    const { store, client } = await placeWithOrders()
    const controller = new AbortController()
    await client.query('begin')
    const inside = store.within(client).scope('a')
    const first = inside.sessions.create({ id: 'first' })
    const second = inside.sessions.create({ id: 'second' }, { signal: controller.signal })
    controller.abort()
    await expect(second).rejects.toMatchObject({ code: 'aborted' })
    await first
    await client.query('commit')
    expect(await sessionsOf(store, 'a')).toEqual(['first'])
  })

  it('does administration there, too', async () => {
    const { store, client } = await placeWithOrders()
    await store.scope('a').sessions.create()
    await client.query('begin')
    const inside = store.within(client)
    await inside.admin.scopes.delete('a')
    expect(await inside.admin.scopes.list()).toMatchObject({ items: [] })
    expect(await store.admin.scopes.list()).toMatchObject({ items: ['a'] })
    await client.query('rollback')
    expect(await store.admin.scopes.list()).toMatchObject({ items: ['a'] })
    await expectWhole(store)
  })

  it('closes nothing of the caller, and nothing of the store that it came from', async () => {
    const { store, client } = await placeWithOrders()
    await client.query('begin')
    const inside = store.within(client)
    await inside.scope('a').sessions.create({ id: 's' })
    await inside.close()
    await expect(inside.scope('a').sessions.get('s')).rejects.toMatchObject({ code: 'closed' })
    await order(client, 's')
    await store.within(client).scope('a').messages.append('s', saying('Two days'))
    await client.query('commit')
    expect(await ordersOf(client)).toEqual(['s'])
    expect(await sessionsOf(store, 'a')).toEqual(['s'])
  })

  it('goes on when the connection has lost statements that were prepared on it', async () => {
    const { store, client } = await placeWithOrders()
    await client.query('begin')
    const inside = store.within(client).scope('a')
    await inside.sessions.create({ id: 's' })
    await inside.messages.append('s', saying('before'))
    const { rows } = await client.query<{ name: string }>(
      `select name from pg_prepared_statements where statement not like '%savepoint%'`,
    )
    expect(rows.length).toBeGreaterThan(0)
    for (const { name } of rows) await client.query(`deallocate ${name}`)
    await inside.messages.append('s', saying('after'))
    await client.query('commit')
    expect((await threadOf(store.scope('a'), 's')).map(textOf)).toEqual(['before', 'after'])
  })

  it('works through a pooler and with a time limit, and leaves the limit of the caller alone', async () => {
    const { store, client } = await placeWithOrders({ pooler: true, statementTimeoutMs: 10_000 })
    await client.query(`begin; set local statement_timeout = '7s'`)
    await store.within(client).scope('a').sessions.create({ id: 's' })
    expect((await client.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '7s' }])
    expect((await client.query('select name from pg_prepared_statements')).rows).toEqual([])
    await client.query('commit')
    expect(await sessionsOf(store, 'a')).toEqual(['s'])
  })
})
