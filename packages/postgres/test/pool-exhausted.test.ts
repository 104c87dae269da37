import { Pool, type PoolConfig } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connected, ownDatabase } from './support/servers.js'
import { codeOf, expectWhole, openStore, saying, threadOf } from './support/stores.js'
import { until } from './support/until.js'

const connectTimeoutMs = 1_000
/** Only a wait that does not end takes longer. */
const endlessMs = 20_000

/** How a call failed, and after how many milliseconds. */
async function failure(call: () => Promise<unknown>): Promise<{ readonly code: string; readonly ms: number }> {
  const started = performance.now()
  const code = await codeOf(call())
  return { code, ms: performance.now() - started }
}

function ownPool(config: PoolConfig): Pool {
  const pool = new Pool(config)
  onTestFinished(() => pool.end())
  return pool
}

describe("a call that finds every connection of the caller's pool in use", () => {
  it('is busy when its time to wait is over, not before, and the store works when one is free', async () => {
    const pool = ownPool({ connectionString: await ownDatabase(), max: 2 })
    const store = await openStore({ pool, connectTimeoutMs })
    const scope = store.scope('exhausted')
    const session = await scope.sessions.create()
    const held = [await pool.connect(), await pool.connect()]
    const failures = await Promise.all([
      failure(() => scope.sessions.get(session.id)),
      failure(() => scope.messages.append(session.id, saying('one'))),
      failure(() => scope.messages.append(session.id, saying('two'))),
      failure(() => scope.sessions.create()),
    ])
    for (const { code, ms } of failures) {
      expect(code).toBe('busy')
      // The clock of timers and this one differ by less than a millisecond.
      expect(ms).toBeGreaterThan(connectTimeoutMs - 1)
      expect(ms).toBeLessThan(endlessMs)
    }
    for (const client of held) client.release()
    await scope.messages.append(session.id, saying('three'))
    expect(await threadOf(scope, session.id)).toHaveLength(1)
    expect((await scope.sessions.list()).items).toHaveLength(1)
    // Those who left in the meantime were given a connection that they do not want any more, and gave it back.
    await until(() => pool.waitingCount === 0 && pool.idleCount === pool.totalCount)
    await expectWhole(store)
  })

  it('is busy when its own time is over, however many wait before it', async () => {
    const pool = ownPool({ connectionString: await ownDatabase(), max: 2 })
    const store = await openStore({ pool, connectTimeoutMs })
    const scope = store.scope('exhausted')
    const session = await scope.sessions.create()
    const held = [await pool.connect(), await pool.connect()]
    const failures = await Promise.all(
      Array.from({ length: 300 }, (_, at) => failure(() => scope.messages.append(session.id, saying(`${at}`)))),
    )
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['busy']))
    // Of which each group of 32 would wait for that time, one after the other.
    expect(Math.max(...failures.map(({ ms }) => ms))).toBeLessThan(6 * connectTimeoutMs)
    for (const client of held) client.release()
    expect(await scope.messages.append(session.id, saying('after'))).toMatchObject({ position: 1 })
    await expectWhole(store)
  })

  it('is busy also when the pool itself waits for a shorter time', async () => {
    const pool = ownPool({ connectionString: await ownDatabase(), max: 1, connectionTimeoutMillis: 1_000 })
    const store = await openStore({ pool, connectTimeoutMs: 30_000 })
    const held = await pool.connect()
    expect(await codeOf(store.scope('exhausted').sessions.list())).toBe('busy')
    held.release()
    expect((await store.scope('exhausted').sessions.list()).items).toEqual([])
  })

  it('is aborted by its signal while it waits', async () => {
    const pool = ownPool({ connectionString: await ownDatabase(), max: 1 })
    const store = await openStore({ pool, connectTimeoutMs: 60_000 })
    const held = await pool.connect()
    const impatient = new AbortController()
    const read = codeOf(store.scope('exhausted').sessions.list({ signal: impatient.signal }))
    await until(() => pool.waitingCount === 1)
    impatient.abort()
    expect(await read).toBe('aborted')
    held.release()
    await until(() => pool.waitingCount === 0 && pool.idleCount === 1)
  })
})

describe("a call that finds every connection of the store's own pool in use", () => {
  it('is aborted by its signal while others write before it', async () => {
    const url = await ownDatabase()
    const store = await openStore({ connectionString: url, maxConnections: 1 })
    const scope = store.scope('exhausted')
    const session = await scope.sessions.create()
    const other = await connected(url)
    await other.query('begin')
    await other.query('select 1 from holdfast_sessions for update')
    const impatient = new AbortController()
    const first = scope.messages.append(session.id, saying('first'))
    const second = scope.messages.append(session.id, saying('second'), { signal: impatient.signal })
    const third = scope.messages.append(session.id, saying('third'))
    impatient.abort()
    expect(await codeOf(second)).toBe('aborted')
    await other.query('rollback')
    expect((await Promise.all([first, third])).map(({ position }) => position)).toEqual([1, 2])
  })

  it('is busy when its time to wait is over, and the store works when one is free', async () => {
    const url = await ownDatabase()
    const store = await openStore({ connectionString: url, maxConnections: 1, connectTimeoutMs })
    const scope = store.scope('exhausted')
    const session = await scope.sessions.create()
    const other = await connected(url)
    await other.query('begin')
    await other.query('select 1 from holdfast_sessions for update')
    const slow = scope.messages.append(session.id, saying('slow'))
    const { code, ms } = await failure(() => scope.sessions.list())
    expect(code).toBe('busy')
    expect(ms).toBeGreaterThan(connectTimeoutMs - 1)
    await other.query('rollback')
    expect(await slow).toMatchObject({ position: 1 })
    expect((await scope.sessions.list()).items).toHaveLength(1)
    await expectWhole(store)
  })
})
