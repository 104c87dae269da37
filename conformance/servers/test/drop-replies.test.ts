import { dropReplies, type ProtocolMessage, postgresDatabase } from '@holdfast/servers'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connected } from './support/connection.js'

/** A database with an empty table, reached directly and through a proxy. */
async function proxiedDatabase() {
  const database = await postgresDatabase(18)
  onTestFinished(() => database.drop())
  const { hostname, port } = new URL(database.url)
  const proxy = await dropReplies({ host: hostname, port: Number(port || 5432) })
  onTestFinished(() => proxy.close())
  const direct = await connected(database.url)
  await direct.query('create table note (text text)')
  const notes = async (): Promise<string[]> =>
    (await direct.query('select text from note order by text')).rows.map(({ text }) => text)
  return { proxy, url: proxy.url(database.url), direct, notes }
}

const commits = ({ type, body }: ProtocolMessage) => type === 'Q' && body.toString().startsWith('commit')
const syncs = ({ type }: ProtocolMessage) => type === 'S'

describe('a proxy that drops replies', () => {
  it('lets everything through until it is told otherwise, also what comes in many pieces', async () => {
    const { url, notes } = await proxiedDatabase()
    const client = await connected(url)
    const long = 'x'.repeat(3_000_000)
    const { rows } = await client.query('insert into note values ($1) returning text', [long])
    expect(rows).toEqual([{ text: long }])
    expect(await notes()).toEqual([long])
  })

  it('loses the reply to a commit that took place', async () => {
    const { proxy, url, notes } = await proxiedDatabase()
    const client = await connected(url)
    await client.query('begin')
    await client.query(`insert into note values ('in a transaction')`)
    const cut = proxy.cut(commits)
    await expect(client.query('commit')).rejects.toThrow(/terminated/)
    await cut
    expect(await notes()).toEqual(['in a transaction'])
  })

  it('loses the reply to a statement with parameters that took place', async () => {
    const { proxy, url, notes } = await proxiedDatabase()
    const client = await connected(url)
    const cut = proxy.cut(syncs)
    // So long that a connection that is cut too early undoes it.
    const slow = client.query('insert into note select $1 from (select pg_sleep(0.1)) as late', ['alone'])
    await expect(slow).rejects.toThrow(/terminated/)
    await cut
    expect(await notes()).toEqual(['alone'])
  })

  it('cuts after the answer to the request that a message belongs to', async () => {
    const { proxy, url, notes } = await proxiedDatabase()
    const client = await connected(url)
    const cut = proxy.cut(({ type, body }) => type === 'B' && body.includes('marked'))
    await client.query('insert into note values ($1)', ['before'])
    await expect(client.query('insert into note values ($1)', ['marked'])).rejects.toThrow(/terminated/)
    await cut
    expect(await notes()).toEqual(['before', 'marked'])
  })

  it('cuts one connection once', async () => {
    const { proxy, url, notes } = await proxiedDatabase()
    const [one, two] = [await connected(url), await connected(url)]
    const cut = proxy.cut(syncs)
    await expect(one.query('insert into note values ($1)', ['one'])).rejects.toThrow(/terminated/)
    await cut
    await two.query('insert into note values ($1)', ['two'])
    await (await connected(url)).query('insert into note values ($1)', ['three'])
    expect(await notes()).toEqual(['one', 'three', 'two'])
  })

  it('keeps connections open while it is paused, with no byte in either direction', async () => {
    const { proxy, url, direct, notes } = await proxiedDatabase()
    const client = await connected(url)
    const late = new Client({ connectionString: url })
    onTestFinished(() => late.end())
    proxy.pause()
    const settled: string[] = []
    const write = client.query(`insert into note values ('late')`).finally(() => settled.push('write'))
    const connection = late.connect().finally(() => settled.push('connection'))
    for (let count = 0; count < 200; count++) await direct.query('select 1')
    expect(settled).toEqual([])
    expect(await notes()).toEqual([])
    proxy.resume()
    await Promise.all([write, connection])
    expect(await notes()).toEqual(['late'])
  })

  it('hands on that the server has ended a connection, with its reason', async () => {
    const { url, direct } = await proxiedDatabase()
    const client = await connected(url)
    const { rows } = await client.query('select pg_backend_pid() as pid')
    const sleeping = client.query('select pg_sleep(60)').catch((error) => error)
    const running = `select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and state = 'active'`
    while ((await direct.query(running, [rows[0].pid])).rowCount === 0);
    expect(await sleeping).toMatchObject({ code: '57P01' })
  })
})
