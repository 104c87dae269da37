import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrate, sqliteTraits } from '@holdfast/sql'
import { describe, expect, it } from 'vitest'
import { history, until } from './support/books.js'
import { startChild } from './support/child.js'
import { openDatabase, schemaOf, versionsOf } from './support/database.js'
import { ownFolder, ownPath } from './support/folder.js'

describe('processes that open a database at once', () => {
  it('apply every migration once to an empty file, eight of them, without an error', async () => {
    const path = ownPath()
    const children = Array.from({ length: 8 }, () =>
      startChild('open-store.mjs', { arguments: [JSON.stringify({ path })] }),
    )
    await Promise.all(children.map((child) => child.next()))
    for (const child of children) child.process.send('open')
    expect(await Promise.all(children.map((child) => child.next()))).toEqual(Array(8).fill({ ok: true }))
    for (const child of children) child.process.send('close')
    expect(await Promise.all(children.map((child) => child.ended))).toEqual(Array(8).fill(0))

    const database = await openDatabase(path)
    expect(database.ask('select version, count(*) from holdfast_migrations group by version')).toEqual([[1, 1]])
    expect(database.ask('pragma integrity_check')).toEqual([['ok']])
  })
})

describe('a process that is killed in a migration', () => {
  it('leaves the old version or the new one, whichever statement it was about to run', async () => {
    const folder = ownFolder()
    const old = join(folder, 'old.db')
    const before = await openDatabase(old)
    before.db.exec('pragma journal_mode = wal')
    await bring(before, until(1))
    const oldState = { schema: schemaOf(before), versions: 1 }
    before.close()
    const fresh = await openDatabase()
    await bring(fresh, history)
    const newState = { schema: schemaOf(fresh), versions: history.length }

    const found: string[] = []
    for (let statement = 0; ; statement++) {
      const path = join(folder, `${statement}.db`)
      copyFileSync(old, path)
      const child = startChild('killed-in-migration.mjs', {
        arguments: [path, String(statement), JSON.stringify(history)],
      })
      const how = await child.ended
      const database = await openDatabase(path)
      const state = { schema: schemaOf(database), versions: versionsOf(database).length }
      found.push(same(state, newState) ? 'new' : same(state, oldState) ? 'old' : 'between')
      await bring(database, history)
      expect(schemaOf(database)).toEqual(newState.schema)
      if (how === 0) break
      expect(how).toBe('SIGKILL')
    }
    // The last process was not killed; the one before was about to run the first statement after the commit.
    expect(found.indexOf('new')).toBe(found.length - 2)
    expect(new Set(found.slice(0, -2))).toEqual(new Set(['old']))
    const statements = history.slice(1).flatMap(({ changes }) => changes).length
    expect(found.length).toBeGreaterThan(statements)
  })

  function same(one: unknown, other: unknown): boolean {
    return JSON.stringify(one) === JSON.stringify(other)
  }

  async function bring(database: Awaited<ReturnType<typeof openDatabase>>, migrations: typeof history) {
    await migrate(database.executor, sqliteTraits, { clock: Date.now, migrations, backup: async () => {} })
  }
})
