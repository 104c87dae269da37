import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { migratePostgres, openPostgresStore, type PostgresStoreOptions } from '@holdfast/postgres'
import { describe, expect, it } from 'vitest'
import { oldServer } from './support/old-server.js'
import { as, newName, run } from './support/places.js'
import { errorWithout } from './support/secrets.js'
import { ownDatabase } from './support/servers.js'
import { expectWhole, openStore, saying, textOf, threadOf } from './support/stores.js'
import { until } from './support/until.js'

const secret = 'xyzzy-secret'

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length
}

/** The error that opening must fail with, without the secret in it and without a connection that stays open. */
async function refusal(options: PostgresStoreOptions) {
  const before = openSockets()
  const error = await errorWithout(secret, openPostgresStore({ connectTimeoutMs: 5_000, ...options }))
  expect(error.entity).toBe('store')
  await until(() => openSockets() <= before)
  return error
}

/** A URL with some of it changed. */
function changed(url: string, parts: Partial<Pick<URL, 'username' | 'password' | 'pathname' | 'host'>>): string {
  return Object.assign(new URL(url), parts).href
}

/** A port of this machine on which nobody listens. */
async function silentPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port of TCP has an address of this kind.
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** A role that may log in with the secret, and nothing else. */
async function roleWithoutRights(url: string): Promise<string> {
  const role = newName('stranger')
  await run(url, `create role ${role} login password '${secret}'`)
  return changed(url, { username: role, password: secret })
}

describe('a store is not opened', () => {
  it('where nobody listens: unavailable', async () => {
    const connectionString = `postgres://someone:${secret}@127.0.0.1:${await silentPort()}/postgres`
    expect(await refusal({ connectionString })).toMatchObject({ code: 'unavailable', retryable: true })
  })

  it('on a host that is not known: unavailable', async () => {
    const connectionString = `postgres://someone:${secret}@holdfast.invalid/postgres`
    expect(await refusal({ connectionString })).toMatchObject({ code: 'unavailable' })
  })

  it('with a wrong password: unauthorized', async () => {
    const connectionString = changed(await ownDatabase(), { password: secret })
    expect(await refusal({ connectionString })).toMatchObject({ code: 'unauthorized', retryable: false })
  })

  it('without a password where one is asked for: unauthorized', async () => {
    const { hostname: host, port, username: user } = new URL(await ownDatabase())
    const options = { host, port: Number(port), user, password: '', database: secret }
    expect(await refusal(options)).toMatchObject({ code: 'unauthorized' })
  })

  it('with a password that cannot be found out: unavailable', async () => {
    const { hostname: host, port, username: user } = new URL(await ownDatabase())
    const password = () => Promise.reject(new Error(`The vault says ${secret}`))
    expect(await refusal({ host, port: Number(port), user, password })).toMatchObject({ code: 'unavailable' })
  })

  it('in a database that does not exist: unavailable, and says so', async () => {
    const connectionString = changed(await ownDatabase(), { pathname: secret })
    const error = await refusal({ connectionString })
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('no such database') })
  })

  it('by a role that may not make its tables or its schema: unauthorized', async () => {
    const url = await ownDatabase()
    const connectionString = await roleWithoutRights(url)
    expect(await refusal({ connectionString })).toMatchObject({ code: 'unauthorized' })
    expect(await refusal({ connectionString, schema: 'another' })).toMatchObject({ code: 'unauthorized' })
  })

  it('by a role that may not read the tables that are there: unauthorized', async () => {
    const url = await ownDatabase()
    const connectionString = await roleWithoutRights(url)
    await migratePostgres({ connectionString: url, schema: 'ours' })
    for (const rights of ['', `grant usage on schema ours to "${new URL(connectionString).username}"`]) {
      await run(url, rights)
      expect(await refusal({ connectionString, schema: 'ours', migrate: false })).toMatchObject({
        code: 'unauthorized',
      })
    }
  })

  it('with TLS on a server that has none: unavailable, and names the option', async () => {
    const url = await ownDatabase()
    const connectionString = await roleWithoutRights(url)
    const error = await refusal({ connectionString, ssl: true })
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('`ssl`') })
  })

  it('on a server older than 14: unsupported, and says which it is', async () => {
    const connectionString = changed(await oldServer(130_022), { password: secret })
    const error = await refusal({ connectionString })
    expect(error).toMatchObject({ code: 'unsupported', message: expect.stringMatching(/Postgres 13 .* 14 /) })
  })

  it.each([
    ['has no scheme', `someone:${secret}@127.0.0.1:5432/postgres`],
    ['has another scheme', `mysql://someone:${secret}@127.0.0.1/postgres`],
    ['is no URL', `postgres://someone:${secret}@127.0.0.1:99999/postgres`],
    ['cannot be decoded', `postgres://someone:${secret}%ff@127.0.0.1/postgres`],
    [
      'names a file that is not there',
      `postgres://someone:${secret}@127.0.0.1/postgres?sslrootcert=/missing/${secret}`,
    ],
  ])('with a connection string that %s: invalid, and does not repeat it', async (_, connectionString) => {
    expect(await refusal({ connectionString })).toMatchObject({ code: 'invalid' })
  })

  it('with a password beside one in the connection string: invalid, and names the option', async () => {
    const options = { connectionString: `postgres://someone:${secret}@127.0.0.1/postgres`, password: `other ${secret}` }
    expect(await refusal(options)).toMatchObject({ code: 'invalid', path: 'password' })
  })

  it.each(['', 'a\u0000b', 'ü'.repeat(32)])(
    'in a schema whose name the server would not take as it is: %j',
    async (schema) => {
      const connectionString = await ownDatabase()
      expect(await refusal({ connectionString, schema })).toMatchObject({ code: 'invalid', path: 'schema' })
    },
  )
})

describe('a store is opened', () => {
  it.each([`we"ird`, `o'clock`, `a"b'c; drop schema public --`, 'Ünïcode ☃', 'x'.repeat(63), '%I $1 \\'])(
    'in a schema with the name %s',
    async (schema) => {
      const connectionString = await ownDatabase()
      const store = await openStore({ connectionString, schema })
      expect(store.schema).toBe(schema)
      const scope = store.scope('opened')
      const session = await scope.sessions.create()
      await scope.messages.append(session.id, saying('hello'))
      const again = (await openStore({ connectionString, schema, migrate: false })).scope('opened')
      expect((await threadOf(again, session.id)).map(textOf)).toEqual(['hello'])
      await expectWhole(store)
    },
  )

  it('by a role with a password that a URL has to escape', async () => {
    const url = await ownDatabase()
    const role = newName('escaped')
    const password = `p@ss/w:ord?#%20 ${secret}`
    await run(url, `create role ${role} login superuser password '${password}'`)
    const connectionString = changed(as(url, role), { password: encodeURIComponent(password) })
    const { hostname: host, port, pathname } = new URL(url)
    const fields = { host, port: Number(port), user: role, password, database: pathname.slice(1) }
    for (const options of [{ connectionString }, fields]) await openStore(options)
  })
})
