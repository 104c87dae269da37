import { readdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { migrate, sqliteTraits } from '@holdfast/sql'
import { describe, expect, it } from 'vitest'
import { backUp } from '../src/backup.js'
import { loadDriver } from '../src/driver.js'
import { history, until } from './support/books.js'
import { openDatabase, versionsOf } from './support/database.js'
import { ownPath } from './support/folder.js'

describe('the backup before a table is rebuilt', () => {
  it.each([{ exclusive: false }, { exclusive: true }])('holds the database as it was: %o', async ({ exclusive }) => {
    const path = ownPath()
    const driver = await loadDriver()
    const first = await openDatabase(path)
    first.db.exec('pragma journal_mode = wal')
    first.close()
    const database = await openDatabase(path)
    if (exclusive) database.db.exec('pragma locking_mode = exclusive')
    const clock = () => 0
    const backup = (version: number) =>
      backUp(driver, database, path, `${path}.version-${version}.backup`, { exclusive, fileMode: 0o600 })
    await migrate(database.executor, sqliteTraits, { clock, backup, migrations: until(3) })
    database.db.exec(`insert into holdfast_books (title) values ('Hunger')`)
    await migrate(database.executor, sqliteTraits, { clock, backup, migrations: history })

    expect(database.ask('select name from holdfast_books')).toEqual([['Hunger']])
    const copies = readdirSync(dirname(path)).filter((name) => !/^store\.db(-wal|-shm)?$/.test(name))
    expect(copies).toEqual(['store.db.version-3.backup'])
    const saved = await openDatabase(`${path}.version-3.backup`)
    expect(versionsOf(saved)).toEqual([[1], [2], [3]])
    expect(saved.ask('select title from holdfast_books')).toEqual([['Hunger']])
    expect(saved.ask('pragma integrity_check')).toEqual([['ok']])
    expect(statSync(`${path}.version-3.backup`).mode & 0o777).toBe(0o600)
  })
})
