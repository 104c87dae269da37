import type { PostgresStore } from '@holdfast/postgres'
import type { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { appendPersistently } from './support/persistence.js'
import { seededRandom } from './support/seed.js'
import { connected, ownDatabase, ownServer } from './support/servers.js'
import { codeOf, expectWhole, openStore, saying, textOf, threadOf } from './support/stores.js'
import { until } from './support/until.js'
import { startWriters } from './support/writers.js'

interface Situation {
  readonly store: PostgresStore
  /** Connections that are not the store's. The server's view of itself stands still in a transaction, so there are two. */
  readonly other: Client
  readonly holder: Client
}

async function newSituation(): Promise<Situation> {
  const url = await ownDatabase()
  const store = await openStore({ connectionString: url })
  return { store, other: await connected(url), holder: await connected(url) }
}

const ofTheStore = `application_name = 'holdfast' and datname = current_database()`

/** Ends connections of the store that fulfil a condition, and returns how many there were. */
async function terminate(other: Client, condition: string, most = 1000): Promise<number> {
  const { rows } = await other.query(
    `select pg_terminate_backend(pid) as done from (select pid from pg_stat_activity
     where ${ofTheStore} and ${condition} order by random() limit ${most}) as chosen`,
  )
  return rows.filter(({ done }) => done).length
}

describe('a connection that the server ends', () => {
  it('in a transaction: the write is unavailable, nothing of it is stored, and the next call works, 40 times', async () => {
    const { store, other, holder } = await newSituation()
    const scope = store.scope('terminated')
    const session = await scope.sessions.create()
    for (let time = 0; time < 40; time++) {
      await holder.query('begin')
      await holder.query('select 1 from holdfast_sessions for update')
      const write = codeOf(scope.messages.append(session.id, saying(`lost ${time}`)))
      await until(async () => (await terminate(other, `wait_event_type = 'Lock' and xact_start is not null`)) === 1)
      expect(await write).toBe('unavailable')
      await holder.query('rollback')
      await scope.messages.append(session.id, saying(`kept ${time}`))
    }
    const texts = (await threadOf(scope, session.id)).map(textOf)
    expect(texts).toEqual(Array.from({ length: 40 }, (_, time) => `kept ${time}`))
    await expectWhole(store)
  })

  it('after a commit and before its reply: the write is outcome_unknown, is stored, and is not stored twice', async () => {
    // A commit that waits for a standby which does not exist has taken place on this server, and nobody has been told.
    const settings = { synchronous_standby_names: 'nobody', synchronous_commit: 'local' }
    const server = await ownServer({ durable: true, settings })
    const store = await openStore({ connectionString: server.url() })
    const other = await connected(server.url())
    const scope = store.scope('terminated')
    const session = await scope.sessions.create()
    await other.query('alter system set synchronous_commit = on')
    await other.query('select pg_reload_conf()')
    const write = scope.messages.append(session.id, saying('committed')).catch((error) => error)
    await until(async () => (await terminate(other, `wait_event = 'SyncRep'`)) === 1)
    const { code, ids } = await write
    expect(code).toBe('outcome_unknown')
    await other.query('alter system set synchronous_commit = local')
    await other.query('select pg_reload_conf()')
    expect((await threadOf(scope, session.id)).map(({ id }) => id)).toEqual(ids)
    await appendPersistently(scope, session.id, { ...saying('committed'), id: ids[0] })
    expect(await threadOf(scope, session.id)).toHaveLength(1)
    await expectWhole(store)
  })

  it('between two calls: at most the next call fails, with a code that says it may be repeated, 40 times', async () => {
    const random = seededRandom('connections ended between calls')
    const { store, other } = await newSituation()
    const scope = store.scope('terminated')
    const session = await scope.sessions.create()
    for (let time = 0; time < 40; time++) {
      // Half of the time the call is made before the driver can have heard of it.
      const ending = terminate(other, `state = 'idle'`)
      if (random() < 0.5) await until(async () => (await ending) > 0)
      const read = scope.messages.list(session.id).then(
        () => 'done',
        (error) => error.code,
      )
      expect(await read).toMatch(/^(done|unavailable)$/)
      await ending
      await appendPersistently(scope, session.id, saying(`${time}`))
      expect((await scope.messages.list(session.id)).items).toHaveLength(Math.min(50, time + 1))
    }
    const texts = (await threadOf(scope, session.id)).map(textOf)
    expect(texts).toEqual(Array.from({ length: 40 }, (_, time) => `${time}`))
    await expectWhole(store)
  })

  it('at random moments of writers that go on: nothing acknowledged is lost or stored twice, 100 times', async () => {
    const random = seededRandom('connections ended at random moments')
    const { store, other } = await newSituation()
    const scope = store.scope('terminated')
    const writers = startWriters(scope, [await scope.sessions.create()], 6)
    for (let ended = 0; ended < 100; ) {
      const moment = writers.count + Math.floor(random() * 20)
      await until(() => writers.count >= moment)
      ended += await terminate(other, random() < 0.7 ? `state = 'active'` : 'true', 1)
    }
    await writers.stop()
    await writers.expectAllStored()
    expect(writers.failures.size).toBeGreaterThan(0)
    expect(['unavailable', 'outcome_unknown']).toEqual(expect.arrayContaining([...writers.failures.keys()]))
    await expectWhole(store)
  })
})
