import { describe, expect, it } from 'vitest'
import { type Child, startChild } from './support/children.js'
import { connected, ownDatabase } from './support/servers.js'
import { codeOf, expectWhole, openStore } from './support/stores.js'
import { until } from './support/until.js'

async function waitingProcesses(count: number, options: object): Promise<readonly Child[]> {
  const children = Array.from({ length: count }, () => startChild('open-store.mjs', JSON.stringify(options)))
  for (const child of children) expect(await child.next()).toBe('ready')
  return children
}

/** Has processes open a store at once, and returns what they say. */
async function openAtOnce(children: readonly Child[]): Promise<readonly unknown[]> {
  for (const child of children) child.process.send('open')
  return Promise.all(children.map((child) => child.next()))
}

async function closeAll(children: readonly Child[]): Promise<void> {
  for (const child of children) child.process.send('close')
  for (const child of children) expect(await child.ended).toEqual({ how: 0, output: '' })
}

describe('processes that open an empty database at once', () => {
  it('make every table once, eight of them, without an error', async () => {
    const connectionString = await ownDatabase()
    const children = await waitingProcesses(8, { connectionString, maxConnections: 2 })
    expect(await openAtOnce(children)).toEqual(children.map(() => 'opened'))
    await closeAll(children)
    const other = await connected(connectionString)
    const { rows } = await other.query('select version::int, count(*)::int from holdfast_migrations group by version')
    expect(rows).toEqual([{ version: 1, count: 1 }])
    await expectWhole(await openStore({ connectionString }))
  })
})

describe('a migration', () => {
  it('waits for one that is under way in another process, and both succeed', async () => {
    const connectionString = await ownDatabase()
    const children = await waitingProcesses(2, { connectionString })
    const holder = await connected(connectionString)
    const other = await connected(connectionString)
    // The first process gets the lock and then waits for a table that somebody else is making, the second for the lock.
    await holder.query('begin')
    await holder.query('create table holdfast_migrations (version int)')
    const answers = openAtOnce(children)
    const waiting = async (kind: string) => {
      const { rowCount } = await other.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event = '${kind}'`,
      )
      return rowCount
    }
    await until(async () => (await waiting('advisory')) === 1)
    await holder.query('rollback')
    expect(await answers).toEqual(['opened', 'opened'])
    await closeAll(children)
    await expectWhole(await openStore({ connectionString }))
  })

  it('does not wait for ever: it is busy or times out, and works when the other has ended', async () => {
    const connectionString = await ownDatabase()
    const holder = await connected(connectionString)
    await holder.query('begin')
    await holder.query(`select pg_advisory_xact_lock(hashtextextended('holdfast public', 0))`)
    const opening = openStore({ connectionString, statementTimeoutMs: 500 })
    expect(await codeOf(opening)).toMatch(/^(busy|timeout)$/)
    await holder.query('rollback')
    await expectWhole(await openStore({ connectionString }))
  })
})
