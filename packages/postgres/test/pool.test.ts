import { openPostgresStore } from '@holdfast/postgres'
import { Pool } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startChild } from './support/children.js'
import { connected, ownDatabase } from './support/servers.js'
import { codeOf, openStore } from './support/stores.js'
import { until } from './support/until.js'

async function ownPool() {
  const pool = new Pool({ connectionString: await ownDatabase(), max: 3, application_name: 'app' })
  onTestFinished(() => pool.end())
  return pool
}

describe("a caller's pool", () => {
  it('is shared with the store, and stays open when the store closes', async () => {
    const pool = await ownPool()
    const listeners = () => pool.eventNames().map((event) => [event, pool.listenerCount(event)])
    const before = listeners()
    const store = await openPostgresStore({ pool })
    await store.scope('shared').sessions.create()
    const { rows } = await pool.query(`select distinct application_name as name from pg_stat_activity
      where datname = current_database()`)
    expect(rows).toEqual([{ name: 'app' }])
    await store.close()
    expect(await codeOf(store.scope('shared').sessions.list())).toBe('closed')
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    expect(pool.idleCount).toBe(pool.totalCount)
    expect(listeners()).toEqual(before)
  })

  it('serves two stores, of which one goes on when the other closes', async () => {
    const pool = await ownPool()
    const one = await openPostgresStore({ pool, schema: 'one' })
    const two = await openStore({ pool, schema: 'two' })
    await one.close()
    await two.scope('shared').sessions.create()
    expect((await two.scope('shared').sessions.list()).items).toHaveLength(1)
  })

  it('has its connections back as they were: in no transaction, with their own settings', async () => {
    const pool = await ownPool()
    const store = await openStore({ pool, statementTimeoutMs: 1_234 })
    const scope = store.scope('shared')
    const { id } = await scope.sessions.create()
    const calls = [scope.sessions.load(id), scope.sessions.list(), scope.sessions.touch(id), scope.sessions.get('none')]
    await Promise.allSettled(calls)
    const clients = await Promise.all([pool.connect(), pool.connect(), pool.connect()])
    for (const client of clients) {
      const { rows } = await client.query(`select current_setting('statement_timeout') as timeout,
        current_setting('lock_timeout') as lock, now() = statement_timestamp() as fresh`)
      expect(rows).toEqual([{ timeout: '0', lock: '0', fresh: true }])
      client.release()
    }
  })
})

describe("a store's own pool", () => {
  it('is ended by close', async () => {
    const url = await ownDatabase()
    const other = await connected(url)
    const count = async () => {
      const { rowCount } = await other.query(
        `select 1 from pg_stat_activity where datname = current_database() and application_name = 'holdfast'`,
      )
      return rowCount
    }
    const store = await openPostgresStore({ connectionString: url, maxConnections: 5 })
    await Promise.all(Array.from({ length: 20 }, () => store.scope('own').sessions.create()))
    expect(await count()).toBeGreaterThan(0)
    expect(await count()).toBeLessThanOrEqual(5)
    await store.close()
    await until(async () => (await count()) === 0)
    // The driver ends connections that nobody uses by itself, after ten seconds.
  }, 8_000)
})

describe('a process whose connections the server ends', () => {
  it.each(['own', 'shared'])('goes on, whether they are in use or not: %s pool', async (kind) => {
    const { how, output } = await startChild('survive-ended-connections.mjs', await ownDatabase(), kind).ended
    expect(output).toMatch(/^(outcome_unknown,)?unavailable\n$/)
    expect(how).toBe(0)
  })
})
