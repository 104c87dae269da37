import type { Migration, Table } from '@holdfast/sql'
// The history that SQLite is tested with, too.
import { history as books } from '../../../sqlite/test/support/books.js'

const integer = { type: 'integer', nullable: false } as const
const text = { type: 'text', nullable: false } as const

const readers: Table = {
  name: 'holdfast_readers',
  columns: { scope: integer, key: integer, name: text, age: integer, card: text },
  primaryKey: ['scope', 'key'],
  numbered: 'key',
  foreignKeys: [],
  indexes: [{ name: 'holdfast_readers_name', columns: ['scope', 'name'], unique: true }],
}

const loans: Table = {
  name: 'holdfast_loans',
  columns: { scope: integer, reader: integer, book: integer, note: { type: 'text', nullable: true } },
  primaryKey: ['scope', 'reader', 'book'],
  foreignKeys: [{ columns: ['scope', 'reader'], table: 'holdfast_readers', references: ['scope', 'key'] }],
  indexes: [],
}

/** Renames a column, gives two others new types and drops one. */
const rebuiltReaders: Table = {
  ...readers,
  columns: { scope: integer, key: integer, called: text, card: { type: 'integer', nullable: true } },
  indexes: [{ name: 'holdfast_readers_called', columns: ['scope', 'called'], unique: true }],
}

/** Has another key, with a column that is new, and another reference. */
const rebuiltLoans: Table = {
  ...loans,
  columns: { ...loans.columns, copy: { ...integer, defaultTo: 1 }, note: { ...text, defaultTo: '' } },
  primaryKey: ['scope', 'reader', 'book', 'copy'],
  foreignKeys: [
    { columns: ['scope', 'reader'], table: 'holdfast_readers', references: ['scope', 'key'], onDelete: 'cascade' },
    { columns: ['book'], table: 'holdfast_books', references: ['key'] },
  ],
}

export const history: readonly Migration[] = [
  ...books,
  {
    version: 5,
    name: 'readers and loans',
    minReader: 4,
    changes: [
      { kind: 'create table', table: readers },
      { kind: 'create table', table: loans },
    ],
  },
  {
    version: 6,
    name: 'numbered cards and copies',
    minReader: 6,
    changes: [
      { kind: 'rebuild', table: rebuiltReaders, renamed: { called: 'name' } },
      { kind: 'rebuild', table: rebuiltLoans },
    ],
  },
]

/** The history up to a version. */
export function until(version: number): readonly Migration[] {
  return history.filter((migration) => migration.version <= version)
}
