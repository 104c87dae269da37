import { Pool, type PoolConfig } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connected, ownDatabase } from './support/servers.js'
import { codeOf, expectWhole, openStore, saying, threadOf } from './support/stores.js'

function ownPool(config: PoolConfig): Pool {
  const pool = new Pool(config)
  onTestFinished(() => pool.end())
  return pool
}

describe('a statement that takes longer than it may', () => {
  it.each(['its own connections', "the caller's pool", 'connections that a pooler hands out'])(
    'is given up by the server: timeout, and nothing is written, on %s',
    async (kind) => {
      const url = await ownDatabase()
      const limited = { statementTimeoutMs: 500 }
      const store = await openStore(
        kind === "the caller's pool"
          ? { pool: ownPool({ connectionString: url }), ...limited }
          : { connectionString: url, pooler: kind.includes('pooler'), ...limited },
      )
      const scope = store.scope('limited')
      const session = await scope.sessions.create()
      const other = await connected(url)
      await other.query('begin')
      await other.query('select 1 from holdfast_sessions for update')
      const writes = ['one', 'two', 'three', 'four', 'five'].map((text) =>
        codeOf(scope.messages.append(session.id, saying(text))),
      )
      expect(await Promise.all(writes)).toEqual(writes.map(() => 'timeout'))
      await other.query('rollback')
      await scope.messages.append(session.id, saying('six'))
      expect(await threadOf(scope, session.id)).toHaveLength(1)
      await expectWhole(store)
    },
  )

  it("is given up as the caller's connections say when the store was told nothing", async () => {
    const url = await ownDatabase()
    const pool = ownPool({ connectionString: url, statement_timeout: 200 })
    const scope = (await openStore({ pool })).scope('limited')
    const session = await scope.sessions.create()
    const other = await connected(url)
    await other.query('begin')
    await other.query('select 1 from holdfast_sessions for update')
    expect(await codeOf(scope.messages.append(session.id, saying('one')))).toBe('timeout')
    await other.query('rollback')
    const { rows } = await pool.query('show statement_timeout')
    expect(rows).toEqual([{ statement_timeout: '200ms' }])
  })
})
