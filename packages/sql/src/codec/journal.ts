import type { JournalRow, StoredEntry } from '@holdfast/core'
import type { SqlRow } from '../executor.js'
import { type Database, journal } from '../schema/tables.js'
import { type Cells, fieldsOf } from './columns.js'

export const entryFields = fieldsOf<JournalRow, (typeof journal)['columns']>(journal, [
  'id',
  'digest',
  'type',
  'payloadJson',
  'message',
  'user',
  'at',
])

export const entryColumns = ['seq', 'id', 'digest', 'type', 'payload_json', 'message', 'user', 'at'] as const

type EntryCells = Cells<Database['holdfast_journal'], typeof entryColumns>

export function entryFrom(row: SqlRow): StoredEntry {
  // The select list begins with `entryColumns`.
  const [seq, id, digest, type, payloadJson, message, user, at] = row as unknown as EntryCells
  return { seq, id, digest, type, payloadJson, message, user, at }
}
