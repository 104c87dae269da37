import { type Clock, HoldfastError } from '@holdfast/core'
import { assessSchema, migrate, type SqlExecutor, sqliteTraits } from '@holdfast/sql'
import { backUp } from './backup.js'
import { isBusy } from './classify.js'
import { type Connection, connect } from './connection.js'
import { type Driver, isSafeEngine } from './driver.js'
import { claimFile } from './engine-guard.js'
import { createSqliteExecutor } from './executor.js'
import { hasLog, prepareFile } from './file.js'
import { inUse, livingHolder, removeHolder, signHolder } from './holder.js'
import { refuseDamaged, refuseOtherEncoding } from './inspection.js'
import { memoryPath, type Settled } from './options.js'
import { patiently } from './patience.js'
import { filePragmas, setPragmas } from './pragmas.js'

export interface Opened {
  readonly path: string
  readonly connection: Connection
  readonly executor: SqlExecutor
}

export async function openFile(driver: Driver, settled: Settled, clock: Clock): Promise<Opened> {
  refuseUnsafeEngine(driver)
  const path = prepareFile({ ...settled, mayCreate: settled.mayMigrate })
  // Every copy of the driver that is installed brings its own engine, and its own constructor.
  const held: (() => void)[] = [claimFile(path, { name: 'better-sqlite3', library: driver })]
  const letGo = () => {
    for (const release of held.splice(0).reverse()) release()
  }
  try {
    await approve(driver, path, settled)
    const connection = connect(driver, path, settled.readOnly)
    held.push(connection.close)
    const executor = createSqliteExecutor({ ...connection, close: letGo }, settled.busyTimeoutMs)
    if (!settled.readOnly) {
      if (settled.exclusive) connection.db.exec('pragma locking_mode = exclusive')
      await lockable(path, settled, () => setPragmas(connection, filePragmas(settled.durability)))
      if (settled.exclusive) {
        signHolder(path, settled.fileMode, clock())
        held.push(() => removeHolder(path))
      }
    }
    if (settled.mayMigrate) {
      const backup = (version: number) => backUp(driver, connection, path, `${path}.version-${version}.backup`, settled)
      await migrate(executor, sqliteTraits, { clock, backup })
    }
    return { path, connection, executor }
  } catch (error) {
    letGo()
    throw error
  }
}

/**
 * Looks before anything is written. Closing a connection that may write folds a log that an earlier process left into
 * the file, so where there is one the file is looked at without the right to write: a refused file stays as it is.
 */
async function approve(driver: Driver, path: string, settled: Settled): Promise<void> {
  const readOnly = settled.readOnly || hasLog(path)
  const connection = connect(driver, path, readOnly)
  try {
    await lockable(path, settled, () => {
      refuseDamaged(connection, path)
      refuseOtherEncoding(connection)
    })
    await assessSchema(createSqliteExecutor(connection, settled.busyTimeoutMs), sqliteTraits, settled)
    // Two stores that both keep a lock from here on could not both get the one that this change needs.
    if (!readOnly) await lockable(path, settled, () => setPragmas(connection, { journal_mode: 'wal' }))
  } finally {
    connection.close()
  }
}

/** Waits for a lock that somebody holds for a moment, and names the one who holds it for good. */
async function lockable(path: string, { busyTimeoutMs }: Settled, attempt: () => void): Promise<void> {
  const call = { signal: undefined, retries: 0 }
  try {
    await patiently(
      () => {
        try {
          attempt()
        } catch (error) {
          const holder = isBusy(error) ? livingHolder(path) : undefined
          throw holder === undefined ? error : inUse(holder, error)
        }
      },
      call,
      performance.now() + busyTimeoutMs,
    )
  } catch (error) {
    throw isBusy(error) ? inUse(undefined, error) : error
  }
}

function refuseUnsafeEngine(driver: Driver): void {
  const probe = connect(driver, memoryPath, false)
  const version = String(probe.ask('select sqlite_version()')[0]?.[0])
  probe.close()
  if (isSafeEngine(version)) return
  throw new HoldfastError(
    'unsupported',
    `SQLite ${version} can corrupt a file that several connections write. Use 3.51.3 or later, 3.50.7 or 3.44.6.`,
    { entity: 'store' },
  )
}
