import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openSqliteStore } from '@holdfast/sqlite'
import { describe, expect, it } from 'vitest'
import { openDatabase } from './support/database.js'
import { contentsOf, ownFolder, ownPath } from './support/folder.js'

/** A store that was closed properly, with enough in it for several levels of pages. */
async function filledStore(path: string): Promise<void> {
  const store = await openSqliteStore({ path })
  const { sessions } = store.scope('library')
  for (let book = 0; book < 60; book++)
    await sessions.create({ id: `ses_${book}`, title: `A title ${book} `.repeat(50) })
  await store.close()
}

describe('a file that is damaged', () => {
  const kinds: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
    ['text', () => Buffer.from('Dear diary, this is no database. '.repeat(300))],
    ['a header with wrong magic', (bytes) => overwritten(bytes, 0, 16)],
    ['a header with wrong numbers', (bytes) => overwritten(bytes, 16, 60)],
    ['only the first bytes', (bytes) => bytes.subarray(0, 50)],
    ['half of its pages', (bytes) => bytes.subarray(0, 4096 * Math.floor(bytes.length / 8192))],
    ['a last page that is cut', (bytes) => bytes.subarray(0, bytes.length - 7)],
    ['pages of noise', (bytes) => overwritten(bytes, 4096 * 4, 4096 * 8)],
  ]

  it.each(kinds)('is corrupt at open and stays as it is: %s', async (_, damage) => {
    const path = ownPath()
    await filledStore(path)
    writeFileSync(path, damage(readFileSync(path)))
    const before = contentsOf(dirname(path))
    await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: 'corrupt' })
    await expect(openSqliteStore({ path, migrate: false })).rejects.toMatchObject({ code: 'corrupt' })
    expect(contentsOf(dirname(path))).toEqual(before)
    await expect(openSqliteStore({ path, readOnly: true })).rejects.toMatchObject({ code: 'corrupt' })
    expect(contentsOf(dirname(path))).toMatchObject(before)
  })

  it('stays as it is when the log of a process that was killed lies beside it', async () => {
    const folder = ownFolder()
    const path = join(folder, 'store.db')
    await filledStore(path)
    const writer = await openDatabase(path)
    writer.db.exec('pragma wal_autocheckpoint = 0; create table foreign_notes (body text)')
    const killed = join(ownFolder(), 'store.db')
    for (const suffix of ['', '-wal', '-shm']) copyFileSync(`${path}${suffix}`, `${killed}${suffix}`)
    writeFileSync(killed, overwritten(readFileSync(killed), 4096 * 4, 4096 * 8))
    const before = contentsOf(dirname(killed))
    await expect(openSqliteStore({ path: killed })).rejects.toMatchObject({ code: 'corrupt' })
    const after = contentsOf(dirname(killed))
    // The index of the log holds marks of readers and is made anew from the log whenever nobody uses it.
    expect({ ...after, 'store.db-shm': '' }).toEqual({ ...before, 'store.db-shm': '' })
  })

  it('can be opened when only the end of a log was lost: what was whole is there', async () => {
    const path = ownPath()
    await filledStore(path)
    const writer = await openDatabase(path)
    writer.db.exec('pragma wal_autocheckpoint = 0; create table foreign_notes (body text)')
    writer.db.exec(`insert into foreign_notes values ('first')`)
    const whole = readFileSync(`${path}-wal`)
    writer.db.exec(`insert into foreign_notes values ('second')`)
    const killed = ownPath()
    copyFileSync(path, killed)
    writeFileSync(`${killed}-wal`, readFileSync(`${path}-wal`).subarray(0, whole.length + 100))
    await (await openSqliteStore({ path: killed })).close()
    const reader = await openDatabase(killed)
    expect(reader.ask('select body from foreign_notes')).toEqual([['first']])
  })

  function overwritten(bytes: Buffer, from: number, to: number): Buffer {
    const copy = Buffer.from(bytes)
    copy.fill(0xa5, from, to)
    return copy
  }
})

describe('an empty file', () => {
  it('is a database that nothing is in yet', async () => {
    const path = ownPath()
    writeFileSync(path, '')
    const store = await openSqliteStore({ path })
    expect((await store.admin.integrity()).ok).toBe(true)
    await store.close()
  })
})

describe('a path that is no file', () => {
  it('is refused when it is a folder', async () => {
    await expect(openSqliteStore({ path: ownFolder() })).rejects.toMatchObject({ code: 'unavailable' })
  })

  it.each(['', '  '])('is invalid when it is empty', async (path) => {
    await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: 'invalid', path: 'path' })
  })
})
