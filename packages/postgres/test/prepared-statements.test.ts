import { randomBytes } from 'node:crypto'
import { Pool } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callEveryOperation } from './support/every-operation.js'
import { ownDatabase } from './support/servers.js'
import { openStore } from './support/stores.js'

describe('statements that the server keeps', () => {
  it('are the same for every scope, and name none', async () => {
    const pool = new Pool({ connectionString: await ownDatabase(), max: 1 })
    onTestFinished(() => pool.end())
    const store = await openStore({ pool })
    const scopes = Array.from({ length: 50 }, () => `scope-${randomBytes(8).toString('hex')}`)
    const kept = async (): Promise<string[]> => {
      const { rows } = await pool.query('select statement from pg_prepared_statements order by statement')
      return rows.map(({ statement }) => statement)
    }
    const [first = '', ...others] = scopes
    await callEveryOperation(store.scope(first))
    const afterOne = await kept()
    expect(afterOne.length).toBeGreaterThan(10)
    for (const scope of others) await callEveryOperation(store.scope(scope))
    const afterAll = await kept()
    expect(afterAll).toEqual(afterOne)
    for (const scope of scopes) expect(afterAll.join('\n')).not.toContain(scope)
  })
})
