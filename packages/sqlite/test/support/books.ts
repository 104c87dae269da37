import type { Migration, Table } from '@holdfast/sql'

// A schema of its own with a history of every kind of change, so that the mechanism is tested apart from what it is for.

const integer = { type: 'integer', nullable: false } as const
const text = { type: 'text', nullable: false } as const
const nullableText = { type: 'text', nullable: true } as const

const books: Table = {
  name: 'holdfast_books',
  columns: { key: integer, title: text, rating: nullableText },
  primaryKey: ['key'],
  assigned: 'key',
  foreignKeys: [],
  indexes: [{ name: 'holdfast_books_title', columns: ['title'] }],
}

const pages: Table = {
  name: 'holdfast_pages',
  columns: { book: integer, index: integer, body: text },
  primaryKey: ['book', 'index'],
  clustered: true,
  foreignKeys: [{ columns: ['book'], table: 'holdfast_books', references: ['key'], onDelete: 'cascade' }],
  indexes: [],
}

const shelves: Table = {
  name: 'holdfast_shelves',
  columns: { key: integer, label: { ...text, defaultTo: "the reader's" } },
  primaryKey: ['key'],
  foreignKeys: [],
  indexes: [{ name: 'holdfast_shelves_label', columns: ['label'], unique: true }],
}

/** Renames a column, gives another a new type and drops a third. */
const rebuiltBooks: Table = {
  ...books,
  columns: { key: integer, name: text, rating: { type: 'integer', nullable: true } },
  indexes: [{ name: 'holdfast_books_name', columns: ['name'] }],
}

export const history: readonly Migration[] = [
  {
    version: 1,
    name: 'books and pages',
    minReader: 1,
    changes: [
      { kind: 'create table', table: books },
      { kind: 'create table', table: pages },
    ],
  },
  {
    version: 2,
    name: 'notes and copies',
    minReader: 1,
    changes: [
      { kind: 'add column', table: 'holdfast_pages', name: 'note', column: nullableText },
      { kind: 'add column', table: 'holdfast_books', name: 'copies', column: { ...integer, defaultTo: 1 } },
      {
        kind: 'add index',
        table: 'holdfast_pages',
        index: { name: 'holdfast_pages_note', columns: ['note'], whereNotNull: 'note' },
      },
    ],
  },
  { version: 3, name: 'shelves', minReader: 1, changes: [{ kind: 'create table', table: shelves }] },
  {
    version: 4,
    name: 'names and numeric ratings',
    minReader: 4,
    changes: [{ kind: 'rebuild', table: rebuiltBooks, renamed: { name: 'title' } }],
  },
]

/** The history up to a version. */
export function until(version: number): readonly Migration[] {
  return history.filter((migration) => migration.version <= version)
}
