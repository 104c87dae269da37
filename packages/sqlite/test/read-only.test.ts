import { chmodSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { openSqliteStore } from '@holdfast/sqlite'
import { describe, expect, it } from 'vitest'
import { startChild } from './support/child.js'
import { openDatabase } from './support/database.js'
import { contentsOf, ownPath } from './support/folder.js'

/** A store with one session, whose file and folder have the given modes. */
async function storeWithModes(file: number, folder: number): Promise<string> {
  const path = ownPath()
  const store = await openSqliteStore({ path })
  await store.scope('default').sessions.create({ title: 'Old' })
  await store.close()
  chmodSync(path, file)
  chmodSync(dirname(path), folder)
  return path
}

/** File modes mean nothing to root, so the store is used by a process that has given up every right. */
function asNobody(options: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> {
  const under = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []
  return startChild('unprivileged.mjs', { arguments: [JSON.stringify(options)], under }).next()
}

describe('a store that only reads', () => {
  it('reads, and refuses every write with read_only', async () => {
    const path = await storeWithModes(0o600, 0o700)
    const before = readFileSync(path)
    const store = await openSqliteStore({ path, readOnly: true })
    const scope = store.scope('default')
    expect((await scope.sessions.list()).items).toMatchObject([{ title: 'Old' }])
    await expect(scope.sessions.create({ title: 'New' })).rejects.toMatchObject({ code: 'read_only' })
    await store.close()
    expect(readFileSync(path)).toEqual(before)
  })

  it.each(['passive', 'truncate'] as const)('makes no checkpoint, which would write: %s', async (mode) => {
    const path = await storeWithModes(0o600, 0o700)
    const store = await openSqliteStore({ path, readOnly: true })
    await expect(store.checkpoint(mode)).rejects.toMatchObject({ code: 'read_only' })
    await store.close()
    await expect(store.checkpoint(mode)).rejects.toMatchObject({ code: 'closed' })
  })

  it('neither repairs nor migrates', async () => {
    const path = await storeWithModes(0o600, 0o700)
    const { db } = await openDatabase(path)
    db.exec('drop index holdfast_sessions_activity')
    db.close()
    const before = readFileSync(path)
    await expect(openSqliteStore({ path, readOnly: true })).rejects.toMatchObject({
      code: 'schema_missing',
      path: 'holdfast_sessions.holdfast_sessions_activity',
    })
    expect(readFileSync(path)).toEqual(before)
  })

  it('leaves the log of a process that was killed as it is', async () => {
    const path = ownPath()
    const killed = startChild('open-store.mjs', { arguments: [JSON.stringify({ path })] })
    await killed.next()
    killed.process.send('open')
    expect(await killed.next()).toEqual({ ok: true })
    killed.process.kill('SIGKILL')
    await killed.ended
    const before = contentsOf(dirname(path))
    const store = await openSqliteStore({ path, readOnly: true })
    expect((await store.scope('default').sessions.list()).items).toEqual([])
    await store.close()
    const { 'store.db': file, 'store.db-wal': log } = contentsOf(dirname(path))
    expect({ 'store.db': file, 'store.db-wal': log }).toEqual({
      'store.db': before['store.db'],
      'store.db-wal': before['store.db-wal'],
    })
  })

  it('reads a file that it may not write', async () => {
    const path = await storeWithModes(0o444, 0o777)
    expect(await asNobody({ path, readOnly: true })).toEqual({
      open: 'done',
      list: ['Old'],
      create: 'read_only',
      close: 'done',
    })
  })

  it('is refused in a folder where the engine may not keep the index of its log', async () => {
    const path = await storeWithModes(0o444, 0o555)
    expect(await asNobody({ path, readOnly: true })).toEqual({ open: 'read_only' })
  })
})

describe('a file that may not be written', () => {
  it.each([
    ['the file', 0o444, 0o777],
    ['the folder', 0o666, 0o555],
  ])('is read_only at open without readOnly, for the sake of %s, and stays as it is', async (_, file, folder) => {
    const path = await storeWithModes(file, folder)
    const before = contentsOf(dirname(path))
    expect(await asNobody({ path })).toEqual({ open: 'read_only' })
    expect(contentsOf(dirname(path))).toEqual(before)
  })

  it('is read_only at open when it cannot even be created', async () => {
    const path = await storeWithModes(0o444, 0o555)
    expect(await asNobody({ path: `${dirname(path)}/another.db` })).toEqual({ open: 'read_only' })
    expect(await asNobody({ path: `${dirname(path)}/folder/another.db` })).toEqual({ open: 'read_only' })
  })
})
