import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openSqliteStore, type SqliteStoreOptions } from '@holdfast/sqlite'
import { describe, expect, it } from 'vitest'
import { loadDriver } from '../src/driver.js'
import { openFile } from '../src/open-file.js'
import { settle } from '../src/options.js'
import { setPragmas } from '../src/pragmas.js'
import { startChild } from './support/child.js'
import { openDatabase } from './support/database.js'
import { contentsOf, ownFolder, ownPath } from './support/folder.js'

function modesOf(folder: string): Readonly<Record<string, number>> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]))
}

describe('opening a store', () => {
  it.each([
    ['process', 1],
    ['power', 2],
  ] as const)('sets what durability %s needs', async (durability, synchronous) => {
    const { connection, executor } = await openFile(
      await loadDriver(),
      settle({ path: ownPath(), durability }),
      Date.now,
    )
    const found = ['journal_mode', 'synchronous', 'wal_autocheckpoint', 'foreign_keys'].map((name) => [
      name,
      connection.ask(`pragma ${name}`)[0]?.[0],
    ])
    expect(Object.fromEntries(found)).toEqual({
      journal_mode: 'wal',
      synchronous,
      wal_autocheckpoint: 1000,
      foreign_keys: 1,
    })
    await executor.close()
  })

  it('is refused when the engine does not follow a setting', async () => {
    const inMemory = await openDatabase()
    expect(() => setPragmas(inMemory, { journal_mode: 'wal' })).toThrow(
      expect.objectContaining({ code: 'unsupported', message: expect.stringContaining('journal_mode') }),
    )
  })

  it('creates the folders of its file', async () => {
    const path = join(ownFolder(), 'of', 'many', 'folders', 'store.db')
    const store = await openSqliteStore({ path })
    expect(store.path).toBe(path)
    expect(existsSync(path)).toBe(true)
    await store.close()
  })

  it('creates files that only their owner can read', async () => {
    const path = ownPath()
    const store = await openSqliteStore({ path, exclusive: false })
    expect(modesOf(dirname(path))).toEqual({ 'store.db': 0o600, 'store.db-wal': 0o600, 'store.db-shm': 0o600 })
    await store.close()
  })

  it('creates files with the mode it is given, whatever the mask of the process', async () => {
    const path = ownPath()
    const mask = process.umask(0o077)
    const store = await openSqliteStore({ path, fileMode: 0o664 }).finally(() => process.umask(mask))
    expect(modesOf(dirname(path))['store.db']).toBe(0o664)
    await store.close()
  })

  it('finds what an earlier store wrote', async () => {
    const path = ownPath()
    const first = await openSqliteStore({ path })
    const { id } = await first.scope('default').sessions.create({ title: 'Trip to Oslo' })
    await first.close()
    const second = await openSqliteStore({ path })
    expect(await second.scope('default').sessions.get(id)).toMatchObject({ title: 'Trip to Oslo' })
    await second.close()
  })

  it('leaves the tables of others alone', async () => {
    const path = ownPath()
    const other = await openDatabase(path)
    other.db.exec(`create table sessions (id integer primary key, title text); insert into sessions values (1, 'mine')`)
    const store = await openSqliteStore({ path })
    await store.scope('default').sessions.create({ title: 'yours' })
    await store.close()
    expect(other.ask('select * from sessions')).toEqual([[1, 'mine']])
  })

  it('imports the driver then, and not before', async () => {
    const child = startChild('driver-import.mjs', { arguments: [ownPath()] })
    expect(await child.next()).toEqual({ before: false, after: true })
  })

  it('keeps everything in memory when asked to', async () => {
    const store = await openSqliteStore({ path: ':memory:' })
    const { id } = await store.scope('default').sessions.create({ title: 'Passing' })
    expect(await store.scope('default').sessions.get(id)).toMatchObject({ title: 'Passing' })
    expect(store.capabilities).toMatchObject({
      backend: 'sqlite',
      durable: false,
      sharing: 'none',
      exclusiveLock: false,
    })
    const other = await openSqliteStore({ path: ':memory:' })
    await expect(other.scope('default').sessions.get(id)).rejects.toMatchObject({ code: 'not_found' })
    await store.close()
    await other.close()
  })

  it('says what a file can do', async () => {
    const store = await openSqliteStore({ path: ownPath() })
    expect(store.capabilities).toMatchObject({
      backend: 'sqlite',
      durable: true,
      sharing: 'machine',
      exclusiveLock: true,
      rowLevelSecurity: false,
    })
    await store.close()
  })
})

describe('options that make no sense', () => {
  it.each([
    ['nothing at all', undefined, 'options'],
    ['null', null, 'options'],
    ['a text', 'store.db', 'options'],
    ['no path', {}, 'path'],
    ['an empty path', { path: '' }, 'path'],
    ['a path that is no text', { path: 5 }, 'path'],
    ['a path with NUL', { path: 'a\0b' }, 'path'],
    ['a path that ends in a space', { path: 'store.db ' }, 'path'],
    ['a clock that is no function', { clock: 5 }, 'clock'],
    ['a limit below nothing', { limits: { pageRows: -1 } }, 'limits.pageRows'],
    ['a mode in words', { fileMode: 'abc' }, 'fileMode'],
    ['a mode that is too large', { fileMode: 0o1000 }, 'fileMode'],
    ['a number for a yes or no', { readOnly: 0 }, 'readOnly'],
    ['a word for a yes or no', { migrate: 'no' }, 'migrate'],
    ['null for a yes or no', { exclusive: null }, 'exclusive'],
    ['an unknown durability', { durability: 'bogus' }, 'durability'],
    ['a wait in words', { busyTimeoutMs: '5000' }, 'busyTimeoutMs'],
    ['a wait below nothing', { busyTimeoutMs: -1 }, 'busyTimeoutMs'],
    ['a wait without end', { busyTimeoutMs: Number.POSITIVE_INFINITY }, 'busyTimeoutMs'],
  ])('are invalid, and named: %s', async (_, given, path) => {
    const folder = ownFolder()
    const withPath = typeof given === 'object' && given !== null && path !== 'path'
    const options = withPath ? { path: join(folder, 'store.db'), ...given } : given
    // What callers without types can do.
    await expect(openSqliteStore(options as SqliteStoreOptions)).rejects.toMatchObject({ code: 'invalid', path })
    expect(readdirSync(folder)).toEqual([])
  })

  it('are unsupported where they ask a database in memory to lock others out', async () => {
    await expect(openSqliteStore({ path: ':memory:', exclusive: true })).rejects.toMatchObject({
      code: 'unsupported',
      path: 'exclusive',
    })
  })
})

describe('a database in UTF-16', () => {
  it('is unsupported, because its texts have another order, and stays as it is', async () => {
    const path = ownPath()
    const host = await openDatabase(path)
    host.db.exec(`pragma encoding = 'UTF-16le'; create table foreign_notes (body text)`)
    host.close()
    const before = contentsOf(dirname(path))
    for (const options of [{}, { readOnly: true }, { migrate: false }]) {
      await expect(openSqliteStore({ path, ...options })).rejects.toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining('UTF-16le'),
      })
    }
    expect(contentsOf(dirname(path))).toEqual(before)
  })
})

describe('a store without the right to migrate', () => {
  it('names what is missing in a database of somebody else, and writes nothing', async () => {
    const path = ownPath()
    const other = await openDatabase(path)
    other.db.exec('create table foreign_notes (body text)')
    other.close()
    const before = contentsOf(dirname(path))
    await expect(openSqliteStore({ path, migrate: false })).rejects.toMatchObject({
      code: 'schema_missing',
      message: expect.stringContaining('holdfast_sessions'),
    })
    expect(contentsOf(dirname(path))).toEqual(before)
  })

  it.each([{ migrate: false }, { readOnly: true }])('creates no file: %o', async (options) => {
    const path = join(ownFolder(), 'folder', 'store.db')
    await expect(openSqliteStore({ path, ...options })).rejects.toMatchObject({ code: 'schema_missing' })
    expect(existsSync(dirname(path))).toBe(false)
  })

  it('works on a schema that is current', async () => {
    const path = ownPath()
    await (await openSqliteStore({ path })).close()
    const store = await openSqliteStore({ path, migrate: false })
    expect(await store.scope('default').sessions.create({ title: 'Welcome' })).toMatchObject({ title: 'Welcome' })
    await store.close()
  })
})

describe('a file whose index of message ids is another one under its name', () => {
  it('is schema_missing, and stays as it is: a message could be appended twice', async () => {
    const path = ownPath()
    await (await openSqliteStore({ path })).close()
    const other = await openDatabase(path)
    other.db.exec(`
      drop index holdfast_messages_id;
      create index holdfast_messages_id on holdfast_messages (role);
    `)
    other.close()
    const before = contentsOf(dirname(path))
    await expect(openSqliteStore({ path })).rejects.toMatchObject({
      code: 'schema_missing',
      path: 'holdfast_messages.holdfast_messages_id',
      message: expect.stringContaining('is (role) instead of unique (id, scope)'),
    })
    expect(contentsOf(dirname(path))).toEqual(before)
  })
})

describe('a schema of a newer library', () => {
  it('is schema_newer when it took something away, and the file stays as it is', async () => {
    const path = ownPath()
    await (await openSqliteStore({ path })).close()
    const newer = await openDatabase(path)
    newer.db.exec(`insert into holdfast_migrations values (99, 'from the future', 0, '9.0.0', 99)`)
    newer.close()
    const before = contentsOf(dirname(path))
    for (const options of [{}, { migrate: false }, { exclusive: true }]) {
      await expect(openSqliteStore({ path, ...options })).rejects.toMatchObject({ code: 'schema_newer' })
      expect(contentsOf(dirname(path))).toEqual(before)
    }
  })

  it('is used when it only added', async () => {
    const path = ownPath()
    await (await openSqliteStore({ path })).close()
    const newer = await openDatabase(path)
    newer.db.exec(`
      insert into holdfast_migrations values (99, 'from the future', 0, '9.0.0', 1);
      alter table holdfast_sessions add column mood text;
    `)
    newer.close()
    const store = await openSqliteStore({ path })
    expect(await store.scope('default').sessions.create({ title: 'Hello' })).toMatchObject({ title: 'Hello' })
    await store.close()
  })
})

describe('closing a store', () => {
  it('twice is no error, and leaves only the database', async () => {
    const path = ownPath()
    const store = await openSqliteStore({ path })
    await Promise.all([store.close(), store.close()])
    await store.close()
    expect(readdirSync(dirname(path))).toEqual(['store.db'])
    await expect(store.scope('default').sessions.list()).rejects.toMatchObject({ code: 'closed' })
    await expect(store.checkpoint()).rejects.toMatchObject({ code: 'closed' })
  })

  it('keeps out a checkpoint from then on, also while a write is under way', async () => {
    const store = await openSqliteStore({ path: ownPath() })
    const write = store.scope('default').sessions.create({ title: 'Before the end' })
    const closed = store.close()
    await expect(store.checkpoint('truncate')).rejects.toMatchObject({ code: 'closed' })
    await Promise.all([write, closed])
  })

  it('leaves other stores of the file open', async () => {
    const path = ownPath()
    const [first, second] = [await openSqliteStore({ path }), await openSqliteStore({ path })]
    await first.close()
    expect(await second.scope('default').sessions.create({ title: 'On' })).toMatchObject({ title: 'On' })
    await second.close()
  })
})

describe('a checkpoint', () => {
  it('says how many pages it moved, and can leave an empty log', async () => {
    const path = ownPath()
    const store = await openSqliteStore({ path })
    await store.scope('default').sessions.create({ title: 'Trip to Oslo' })
    const { busy, logPages, movedPages } = await store.checkpoint()
    expect({ busy, allMoved: logPages === movedPages, some: movedPages > 0 }).toEqual({
      busy: false,
      allMoved: true,
      some: true,
    })
    expect(await store.checkpoint('truncate')).toEqual({ busy: false, logPages: 0, movedPages: 0 })
    expect(statSync(`${path}-wal`).size).toBe(0)
    await store.close()
  })

  it('of a database in memory moves nothing', async () => {
    const store = await openSqliteStore({ path: ':memory:' })
    expect(await store.checkpoint('full')).toEqual({ busy: false, logPages: 0, movedPages: 0 })
    await store.close()
  })

  it('takes no other words than its modes', async () => {
    const store = await openSqliteStore({ path: ownPath() })
    const mode = 'full); select (1' as 'full'
    await expect(store.checkpoint(mode)).rejects.toMatchObject({ code: 'invalid', path: 'mode' })
    await store.close()
  })

  it('is busy while a reader is in its way', async () => {
    const path = ownPath()
    const store = await openSqliteStore({ path })
    const reader = await openDatabase(path)
    reader.db.exec('begin')
    reader.ask('select count(*) from holdfast_sessions')
    await store.scope('default').sessions.create({ title: 'Trip to Oslo' })
    expect(await store.checkpoint('truncate')).toMatchObject({ busy: true })
    await store.close()
  })
})
