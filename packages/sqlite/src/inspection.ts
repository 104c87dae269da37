import { statSync } from 'node:fs'
import { HoldfastError } from '@holdfast/core'
import type { Connection } from './connection.js'
import { hasLog } from './file.js'

const mebibyte = 1024 * 1024
/** Reading every page takes about a millisecond per mebibyte, in which the event loop stands still. */
const alwaysRead = 16 * mebibyte
const readAfterUncleanEnd = 128 * mebibyte

/**
 * Refuses a damaged file. The engine itself notices a wrong header and missing pages as soon as it reads; damage inside
 * pages shows only when all are read, which is done for files that are small, or not so large and not closed properly.
 */
export function refuseDamaged(connection: Connection, path: string): void {
  connection.ask('select count(*) from sqlite_schema')
  const { size } = statSync(path)
  const unclean = hasLog(path)
  const pageSize = Number(connection.ask('pragma page_size')[0]?.[0])
  // The engine rounds up, and takes a last page that was cut for a whole one.
  if (!unclean && size % pageSize !== 0) throw damaged('its last page is cut')
  if (size > (unclean ? readAfterUncleanEnd : alwaysRead)) return
  if (connection.ask('pragma quick_check(1)')[0]?.[0] !== 'ok') throw damaged('quick_check found broken pages')
}

/** In UTF-16 the engine compares texts by other bytes: lists would have another order, and folders others below them. */
export function refuseOtherEncoding(connection: Connection): void {
  const encoding = connection.ask('pragma encoding')[0]?.[0]
  if (encoding === 'UTF-8') return
  throw new HoldfastError(
    'unsupported',
    `The database keeps its texts in ${encoding}, where they have another order than in UTF-8. Use a file of its own.`,
    { entity: 'store' },
  )
}

function damaged(finding: string): HoldfastError {
  return new HoldfastError('corrupt', `The database is damaged: ${finding}. Keep a copy and restore a backup.`, {
    entity: 'store',
  })
}
