import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresDatabase, startPostgres } from '@holdfast/servers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { childrenOf, isRunning } from '../src/processes.js'
import { connected } from './support/connection.js'
import { ownServer } from './support/server.js'

describe.each([17, 18] as const)('a server of Postgres %i', (version) => {
  it('is of that version, sorts texts as a language does, and lets nobody in without the password', async () => {
    const server = await ownServer({ version })
    const client = await connected(server.url())
    const { rows } = await client.query(`select current_setting('server_version') as version, 'a' < 'B' as sorted`)
    expect(rows).toEqual([{ version: expect.stringMatching(`^${version}\\.`), sorted: true }])
    const wrong = server.url('postgres', { user: 'postgres', password: 'wrong' })
    await expect(connected(wrong)).rejects.toMatchObject({ code: '28P01' })
  })
})

describe('a server', () => {
  it('gives URLs for databases and roles of any name', async () => {
    const server = await ownServer({ version: 18 })
    const role = { user: 'o/hara', password: 'p@ss:w%rd' }
    const owner = await connected(await server.createDatabase('a "b" ü'))
    await owner.query(`create role "o/hara" login password 'p@ss:w%rd'`)
    const client = await connected(server.url('a "b" ü', role))
    const { rows } = await client.query('select current_database() as database, current_user as user')
    expect(rows).toEqual([{ database: 'a "b" ü', user: 'o/hara' }])
  })

  it('is fast or durable, and has the settings it was given', async () => {
    const fast = await connected((await ownServer({ version: 18 })).url())
    const settings = { work_mem: '5MB', application_name: `it's \\ here` }
    const durable = await connected((await ownServer({ version: 18, durable: true, settings })).url())
    const show = async (client: typeof fast, name: string) =>
      (await client.query('select current_setting($1) as value', [name])).rows[0].value
    for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) {
      expect(await show(fast, name)).toBe('off')
      expect(await show(durable, name)).toBe('on')
    }
    expect(await show(durable, 'work_mem')).toBe('5MB')
    expect(await show(durable, 'application_name')).toBe(`it's \\ here`)
  })

  it('keeps after SIGKILL what was committed, and starts again with its port and data', async () => {
    const server = await ownServer({ version: 18, durable: true })
    const { pid } = server
    const client = await connected(server.url())
    await client.query('create table note (text text)')
    await client.query(`insert into note values ('kept')`)
    const busy = client.query('select count(*) from generate_series(1, 1000000000)').catch((error) => error)
    const processes = [pid, ...childrenOf(pid)]
    expect(processes.length).toBeGreaterThan(3)

    await server.kill('SIGKILL')
    expect(processes.filter(isRunning)).toEqual([])
    expect(await busy).toBeInstanceOf(Error)
    await expect(connected(server.url())).rejects.toMatchObject({ code: 'ECONNREFUSED' })

    await server.restart()
    expect(server.pid).not.toBe(pid)
    const { rows } = await (await connected(server.url())).query('select text from note')
    expect(rows).toEqual([{ text: 'kept' }])
  })

  it('does not answer between SIGSTOP and SIGCONT, and answers then', async () => {
    const server = await ownServer({ version: 18 })
    const client = await connected(server.url())
    const other = await connected((await postgresDatabase(18)).url)
    await server.kill('SIGSTOP')
    let answered = false
    const answer = client.query('select 1').then(() => {
      answered = true
    })
    for (let count = 0; count < 200; count++) await other.query('select 1')
    expect(answered).toBe(false)
    await server.kill('SIGCONT')
    await answer
  })

  it('is stopped in whatever state it is, and its folder is removed', async () => {
    for (const signal of ['SIGSTOP', 'SIGKILL'] as const) {
      const server = await startPostgres({ version: 18 })
      const processes = [server.pid, ...childrenOf(server.pid)]
      await server.kill(signal)
      await server.stop()
      expect(processes.filter(isRunning)).toEqual([])
      expect(existsSync(server.folder)).toBe(false)
    }
  })

  it('that cannot start says why, and leaves nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-empty-'))
    // The account that the server runs under has to get in.
    chmodSync(folder, 0o755)
    vi.stubEnv('TMPDIR', folder)
    onTestFinished(() => {
      vi.unstubAllEnvs()
      rmSync(folder, { recursive: true })
    })
    const settings = { shared_buffers: 'a lot' }
    await expect(startPostgres({ version: 18, settings })).rejects.toThrow(
      /did not start.*invalid value for parameter "shared_buffers": "a lot"/s,
    )
    expect(readdirSync(folder)).toEqual([])
  })
})
