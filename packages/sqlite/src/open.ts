import { hash } from 'node:crypto'
import { type Clock, createStore, systemClock } from '@holdfast/core'
import { createSqlBackend, migrate, sqliteTraits } from '@holdfast/sql'
import { checkpoint } from './checkpoint.js'
import { classify, wrapped } from './classify.js'
import { connect } from './connection.js'
import { type Driver, loadDriver } from './driver.js'
import { createSqliteExecutor } from './executor.js'
import { type Opened, openFile } from './open-file.js'
import {
  type CheckpointMode,
  memoryPath,
  type Settled,
  type SqliteStore,
  type SqliteStoreOptions,
  settle,
} from './options.js'
import { setPragmas } from './pragmas.js'

/**
 * Opens a store in a SQLite file, or in memory.
 *
 * @example
 * ```ts
 * const store = await openSqliteStore({ path: 'sessions.db' })
 * const session = await store.scope('default').sessions.create({ title: 'Trip to Oslo' })
 * await store.close()
 * ```
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const settled = settle(options)
  const inMemory = settled.path === memoryPath
  const { path, connection, executor } = await opened(settled, options.clock ?? systemClock)
  const backend = createSqlBackend({
    executor,
    traits: sqliteTraits,
    classify,
    sha256: (text) => hash('sha256', text),
    capabilities: {
      backend: 'sqlite',
      durable: !inMemory,
      sharing: inMemory ? 'none' : 'machine',
      exclusiveLock: !inMemory,
      rowLevelSecurity: false,
    },
  })
  const store = createStore(backend, options)
  const close = store.close.bind(store)
  let closing = false
  return Object.assign(store, {
    path,
    checkpoint: (mode: CheckpointMode = 'passive') =>
      checkpoint(connection, mode, { closed: closing, readOnly: settled.readOnly }),
    // The connection is open until what is under way has ended, and by then the store has long been closed to callers.
    close: () => {
      closing = true
      return close()
    },
  })
}

async function opened(settled: Settled, clock: Clock): Promise<Opened> {
  try {
    const driver = await loadDriver()
    return await (settled.path === memoryPath ? openMemory(driver, settled, clock) : openFile(driver, settled, clock))
  } catch (error) {
    throw wrapped(error)
  }
}

async function openMemory(driver: Driver, { path, busyTimeoutMs }: Settled, clock: Clock): Promise<Opened> {
  const connection = connect(driver, path, false)
  setPragmas(connection, { foreign_keys: 1 })
  const executor = createSqliteExecutor(connection, busyTimeoutMs)
  await migrate(executor, sqliteTraits, { clock, backup: async () => {} })
  return { path, connection, executor }
}
