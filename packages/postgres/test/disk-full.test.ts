import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PostgresServer } from '@holdfast/servers'
import { describe, expect, it } from 'vitest'
import { appendPersistently } from './support/persistence.js'
import { connected, ownServer } from './support/servers.js'
import { codeOf, expectWhole, openStore, saying, textOf, threadOf } from './support/stores.js'
import { until } from './support/until.js'
import { startWriters } from './support/writers.js'

/** Where the system refuses every byte for want of room, to whom and wherever it is: nobody has to be root for that. */
const full = '/dev/full'
const none = !existsSync(full)
const why = none ? ` (skipped: this system has no ${full})` : ''

/** What takes room of its own: too long for a row, and too random to be made shorter. */
const long = () => saying(randomBytes(20_000).toString('hex'))

/** Takes the room away from an empty file of a server that does not run, and returns what gives it back. */
function fill(file: string): () => void {
  const { uid, gid } = statSync(file)
  expect(statSync(file).size).toBe(0)
  rmSync(file)
  symlinkSync(full, file)
  return () => {
    rmSync(file)
    writeFileSync(file, '', { mode: 0o600 })
    chownSync(file, uid, gid)
  }
}

/** The file that holds the long texts of parts. It is empty as long as there are none. */
async function fileOfLongParts(server: PostgresServer): Promise<string> {
  const client = await connected(server.url())
  const { rows } = await client.query(
    `select pg_relation_filepath(reltoastrelid) as path from pg_class where relname = 'holdfast_parts'`,
  )
  return join(server.folder, 'data', rows[0].path)
}

describe('a server without room', () => {
  it.skipIf(none)(`for data: what needs some is disk_full and not stored, and the rest is stored${why}`, async () => {
    const server = await ownServer()
    const store = await openStore({ connectionString: server.url(), maxConnections: 3 })
    const scope = store.scope('full')
    const session = await scope.sessions.create()
    await scope.messages.append(session.id, saying('before'))
    const file = await fileOfLongParts(server)
    await server.kill('SIGINT')
    const giveBack = fill(file)
    await server.restart()
    await appendPersistently(scope, session.id, saying('while'))

    // There is one lane for writes, so that most of these are committed together first.
    const short = ['one', 'two', 'three'].map((text) => scope.messages.append(session.id, saying(text)))
    const refused = [1, 2, 3].map(() => codeOf(scope.messages.append(session.id, long())))
    refused.push(codeOf(scope.messages.appendAll(session.id, [saying('half'), long()])))
    expect(await Promise.all(refused)).toEqual(refused.map(() => 'disk_full'))
    await Promise.all(short)
    const texts = (await threadOf(scope, session.id)).map(textOf)
    expect(texts.sort()).toEqual(['before', 'one', 'three', 'two', 'while'])
    await expectWhole(store)

    giveBack()
    // Processes of the server that have met the full file still have it open.
    const other = await connected(server.url())
    await other.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'holdfast'`)
    await appendPersistently(scope, session.id, long())
    expect(await threadOf(scope, session.id)).toHaveLength(6)
    await expectWhole(store)
  })

  it.skipIf(none)(`for its log: it ends, and has all that was acknowledged when there is room${why}`, async () => {
    const server = await ownServer({ durable: true, settings: { fsync: 'off' } })
    const store = await openStore({ connectionString: server.url() })
    const scope = store.scope('full')
    const writers = startWriters(scope, [await scope.sessions.create()], 6)
    await until(() => writers.count > 20)

    const other = await connected(server.url())
    const { rows } = await other.query(`select pg_walfile_name(pg_current_wal_lsn()) as name`)
    const next = (Number.parseInt(rows[0].name.slice(16), 16) + 1).toString(16).toUpperCase().padStart(8, '0')
    const file = join(server.folder, 'data', 'pg_wal', `${rows[0].name.slice(0, 16)}${next}`)
    rmSync(file, { force: true })
    symlinkSync(full, file)
    // Whoever writes next does so in the next file, and the server ends. That may well be this connection.
    await other.query('select pg_switch_wal()').catch(() => undefined)
    await until(() => writers.failures.size > 0)
    rmSync(file)
    // It may be in the middle of starting again by itself, where it does not listen to a gentler signal.
    await server.kill('SIGKILL')
    await server.restart()
    const before = writers.count
    await until(() => writers.count > before + 20)
    await writers.stop()
    await writers.expectAllStored()
    await expectWhole(store)
  })
})
