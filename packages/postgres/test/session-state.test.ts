import { Pool } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { administer, callEveryOperation } from './support/every-operation.js'
import { guardedPlace } from './support/guarded.js'
import { overhear } from './support/overheard.js'
import { openStore } from './support/stores.js'

// A pooler in transaction mode gives every transaction another connection: what one of them leaves there, the next
// client finds.

/** All that a connection can carry from one transaction into the next. */
async function stateOf(pool: Pool): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await pool.query(`select
    (select json_object_agg(name, setting) from pg_settings where source in ('session', 'client')) as settings,
    coalesce(current_setting('holdfast.scope', true), '') as scope,
    coalesce(current_setting('holdfast.across', true), '') as across,
    (select count(*)::int from pg_prepared_statements) as statements,
    (select count(*)::int from pg_cursors where is_holdable) as cursors,
    (select count(*)::int from pg_listening_channels()) as channels,
    (select count(*)::int from pg_locks where pid = pg_backend_pid() and locktype = 'advisory') as locks,
    (select count(*)::int from pg_class where relpersistence = 't') as tables,
    current_user::text as role, pg_backend_pid() as process`)
  return rows[0] ?? {}
}

describe('a store behind a pooler', () => {
  it('leaves nothing on a connection, whatever is called, and whether a call is refused or not', async () => {
    const { runner, schema } = await guardedPlace()
    const pool = new Pool({ connectionString: runner, max: 1 })
    onTestFinished(() => pool.end())
    const sent = overhear(pool)
    const store = await openStore({ pool, schema, migrate: false, pooler: true, statementTimeoutMs: 12_345 })
    const before = await stateOf(pool)
    expect(before.settings).toEqual({ client_encoding: 'UTF8' })
    expect(before).toMatchObject({ scope: '', across: '', statements: 0, cursors: 0, channels: 0, locks: 0, tables: 0 })
    await callEveryOperation(store.scope('a'))
    expect(await stateOf(pool)).toEqual(before)
    await expect(store.scope('a').sessions.touch('nowhere')).rejects.toMatchObject({ code: 'not_found' })
    await expect(store.scope('a').sessions.get('nowhere')).rejects.toMatchObject({ code: 'not_found' })
    expect(await stateOf(pool)).toEqual(before)
    await administer(store.admin, 'a')
    expect(await stateOf(pool)).toEqual(before)
    for (const text of sent) expect(text).not.toMatch(/^\s*(set|listen|prepare|declare|lock)\b|pg_advisory_lock/i)
  })
})
