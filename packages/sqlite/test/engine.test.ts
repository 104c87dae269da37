import { existsSync, writeFileSync } from 'node:fs'
import { openSqliteStore } from '@holdfast/sqlite'
import type { Options } from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { isSafeEngine, loadDriver } from '../src/driver.js'
import { claimFile, type Engine } from '../src/engine-guard.js'
import { openFile } from '../src/open-file.js'
import { settle } from '../src/options.js'
import { startChild } from './support/child.js'
import { openDatabase } from './support/database.js'
import { ownPath } from './support/folder.js'
import { installSecondCopy } from './support/second-copy.js'

const libsql: Engine = { name: 'libsql', library: {} }

describe('an engine with a bug that corrupts files', () => {
  it.each(['3.7.0', '3.36.0', '3.44.5', '3.45.1', '3.49.2', '3.50.6', '3.51.0', '3.51.2', '2.8.17'])(
    'is not accepted: %s',
    (version) => {
      expect(isSafeEngine(version)).toBe(false)
    },
  )

  it.each(['3.44.6', '3.50.7', '3.51.3', '3.52.0', '3.53.2', '4.0.0'])(
    'is not taken for a sound one: %s',
    (version) => {
      expect(isSafeEngine(version)).toBe(true)
    },
  )
})

describe('a store in a file', () => {
  it('is not opened by an engine with that bug, and nothing is created', async () => {
    const driver = await loadDriver()
    class OldEngine extends driver {
      constructor(path: string, options: Options) {
        super(path, options)
        this.function('sqlite_version', () => '3.45.1')
      }
    }
    const path = ownPath()
    await expect(openFile(OldEngine, settle({ path }), Date.now)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('SQLite 3.45.1'),
    })
    expect(existsSync(path)).toBe(false)
  })
})

describe('a file that one SQLite engine has open in this process', () => {
  it('is refused to another engine until every store of the first is closed', async () => {
    const path = ownPath()
    const first = await openSqliteStore({ path })
    const second = await openSqliteStore({ path })
    expect(() => claimFile(path, libsql)).toThrow(expect.objectContaining({ code: 'in_use' }))
    await first.close()
    expect(() => claimFile(path, libsql)).toThrow(expect.objectContaining({ code: 'in_use' }))
    await second.close()
    claimFile(path, libsql)()
  })

  it('is refused to a store when the other engine was first, by whatever path', async () => {
    const path = ownPath()
    writeFileSync(path, '')
    const release = claimFile(path, libsql)
    await expect(openSqliteStore({ path: `${path}/../store.db` })).rejects.toMatchObject({
      code: 'in_use',
      message: expect.stringContaining('libsql'),
    })
    release()
    await (await openSqliteStore({ path })).close()
  })

  it('is refused to another copy of the same driver, and no commit is lost', async () => {
    const path = ownPath()
    const child = startChild('second-copy.mjs', { arguments: [path, installSecondCopy()] })
    expect(await child.next()).toEqual({
      refusal: { code: 'in_use', message: expect.stringContaining('Another copy of better-sqlite3') },
      beside: 'opened',
    })
    // Looked at from outside while the child still has it open: what another engine had unlinked could not be seen.
    const { ask } = await openDatabase(path)
    expect(ask('select title from holdfast_sessions order by key')).toEqual([['before'], ['after']])
    child.process.send('close')
    expect(await child.next()).toBe('opened')
  })

  it('is free again when a store could not be opened', async () => {
    const path = ownPath()
    writeFileSync(path, 'This is not a database, and it is long enough to be told from one. '.repeat(20))
    await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: 'corrupt' })
    claimFile(path, libsql)()
  })
})
