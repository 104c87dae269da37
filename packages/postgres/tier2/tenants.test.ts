import { migratePostgres, openPostgresStore } from '@holdfast/postgres'
import { startPgBouncer } from '@holdfast/servers'
import { expect, it } from 'vitest'
import { as, grantsOf, guardedDatabase, newName, run } from '../test/support/places.js'

it('shows no tenant a row of another in 10,000 reads of two tenants through a few connections', async () => {
  const { url, migrator, runner } = await guardedDatabase(18)
  const schema = newName('tenants')
  await run(url, grantsOf(schema, migrator, runner))
  await migratePostgres({ connectionString: as(url, migrator), schema, rowLevelSecurity: true })
  const { hostname: host, port } = new URL(url)
  const users = [{ user: runner, password: runner }]
  const bouncer = await startPgBouncer({ server: { host, port: Number(port) }, users, poolSize: 2 })
  const store = await openPostgresStore({
    connectionString: bouncer.url(as(url, runner)),
    schema,
    migrate: false,
    maxConnections: 16,
  })
  try {
    expect(store.capabilities.rowLevelSecurity).toBe(true)
    const tenants = await Promise.all(
      ['ada', 'bob'].map(async (name) => {
        const scope = store.scope(name)
        const { id } = await scope.sessions.create({ title: name })
        await scope.messages.append(id, { role: 'user', parts: [{ type: 'text', text: name }] })
        return { name, scope, id }
      }),
    )
    let reads = 0
    const astray: unknown[] = []
    const reader = async (turn: number) => {
      while (reads++ < 10_000) {
        const { name, scope, id } = tenants[(reads + turn) % 2] as (typeof tenants)[number]
        const [listed, { items }] = await Promise.all([scope.sessions.list(), scope.messages.list(id)])
        const seen = [...listed.items.map(({ title }) => title), ...items.flatMap(({ parts }) => parts)]
        const other = name === 'ada' ? 'bob' : 'ada'
        if (seen.length !== 2 || JSON.stringify(seen).includes(other)) astray.push(seen)
      }
    }
    await Promise.all(Array.from({ length: 16 }, (_, turn) => reader(turn)))
    expect(astray).toEqual([])
  } finally {
    await store.close()
    await bouncer.stop()
  }
})
