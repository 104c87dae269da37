import { chmodSync, closeSync, openSync, renameSync, rmSync } from 'node:fs'
import { type Connection, connect } from './connection.js'
import type { Driver } from './driver.js'

/**
 * Copies a database by the engine's own means while `connection` holds the write lock and has not written yet. The copy
 * takes its name only when it is whole.
 */
export async function backUp(
  driver: Driver,
  connection: Connection,
  path: string,
  to: string,
  options: { readonly exclusive: boolean; readonly fileMode: number },
): Promise<void> {
  const unfinished = `${to}-unfinished`
  rmSync(unfinished, { force: true })
  closeSync(openSync(unfinished, 'wx', options.fileMode))
  chmodSync(unfinished, options.fileMode)
  if (options.exclusive) {
    // No second connection can read, nor can this one copy inside its transaction; but nobody else can write either.
    connection.db.exec('commit')
    await connection.db.backup(unfinished)
    connection.db.exec('begin immediate')
  } else {
    const reader = connect(driver, path, true)
    try {
      await reader.db.backup(unfinished)
    } finally {
      reader.close()
    }
  }
  renameSync(unfinished, to)
}
