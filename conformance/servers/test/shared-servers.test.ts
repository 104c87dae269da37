import { postgresDatabase } from '@holdfast/servers'
import { describe, expect, it, vi } from 'vitest'
import { databaseOn } from '../src/postgres-database.js'
import { shareServers } from '../src/shared-servers.js'
import { connected } from './support/connection.js'
import { ownServer } from './support/server.js'

describe('a database for a test file', () => {
  it.each([17, 18] as const)('is on the shared server of Postgres %i, and empty', async (version) => {
    const { url, drop } = await postgresDatabase(version)
    const client = await connected(url)
    if (!process.env.DATABASE_URL_TEST)
      expect((await client.query('show server_version')).rows[0].server_version).toMatch(`${version}.`)
    expect((await client.query(`select * from pg_tables where schemaname = 'public'`)).rows).toEqual([])
    await drop()
  })

  it('is another one every time', async () => {
    const [one, two] = await Promise.all([postgresDatabase(18), postgresDatabase(18)])
    await (await connected(one.url)).query('create table note (text text)')
    await (await connected(two.url)).query('create table note (text text)')
    await one.drop()
    await two.drop()
  })

  it('can be dropped while somebody is connected to it', async () => {
    const { url, drop } = await postgresDatabase(18)
    await connected(url)
    await drop()
    await expect(connected(url)).rejects.toMatchObject({ code: '3D000' })
  })
})

describe('with DATABASE_URL_TEST', () => {
  it('the server that it names is used for every version', async () => {
    const server = await ownServer({ version: 17 })
    vi.stubEnv('DATABASE_URL_TEST', server.url())
    const shared = await shareServers()
    for (const version of [17, 18])
      expect(await (await fetch(`${shared.address}/${version}`)).text()).toBe(server.url())
    await shared.close()
    // It was not started by us, and is not stopped by us.
    const { url } = await databaseOn(server.url())
    await connected(url)
    vi.unstubAllEnvs()
  })

  it('a server that cannot be reached is an error', async () => {
    const server = await ownServer({ version: 18 })
    await server.kill('SIGINT')
    await expect(databaseOn(server.url())).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})
