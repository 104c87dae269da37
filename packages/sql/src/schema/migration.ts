import type { Column, Index, Table } from './shape.js'
import { integer, table, text } from './shape.js'

/** A step from one version of the schema to the next, as data. */
export interface Migration {
  readonly version: number
  readonly name: string
  /** The oldest version whose library can still use a database at this one. */
  readonly minReader: number
  readonly changes: readonly Change[]
}

export type Change = CreateTable | AddColumn | AddIndex | Rebuild

export interface CreateTable {
  readonly kind: 'create table'
  readonly table: Table
}

/** The column must be nullable or have a default: older libraries go on writing rows without it. */
export interface AddColumn {
  readonly kind: 'add column'
  readonly table: string
  readonly name: string
  readonly column: Column
}

export interface AddIndex {
  readonly kind: 'add index'
  readonly table: string
  readonly index: Index
}

/**
 * The destructive kind: the table gets a new shape, and columns that the shape does not name are gone. The database is
 * backed up first, and no library older than this can use it afterwards.
 */
export interface Rebuild {
  readonly kind: 'rebuild'
  readonly table: Table
  /** The new names of columns, each with its old one. Columns that keep their name keep their values. */
  readonly renamed?: Readonly<Record<string, string>>
}

/** What was applied to a database. It is there before the first migration and belongs to none. */
export const appliedMigrations = table({
  name: 'holdfast_migrations',
  columns: { version: integer, name: text, applied_at: integer, library_version: text, min_reader: integer },
  primaryKey: ['version'],
  foreignKeys: [],
  indexes: [],
})

/** The tables a database has once these migrations are applied, by name. */
export function promisedTables(migrations: readonly Migration[]): ReadonlyMap<string, Table> {
  const tables = new Map<string, Table>([[appliedMigrations.name, appliedMigrations]])
  for (const { changes } of migrations) {
    for (const change of changes) {
      const next = changed(tables, change)
      tables.set(next.name, next)
    }
  }
  return tables
}

function changed(tables: ReadonlyMap<string, Table>, change: Change): Table {
  if (change.kind === 'create table' || change.kind === 'rebuild') return change.table
  const before = tables.get(change.table)
  if (before === undefined) throw new TypeError(`No migration before creates ${change.table}.`)
  if (change.kind === 'add index') return { ...before, indexes: [...before.indexes, change.index] }
  return { ...before, columns: { ...before.columns, [change.name]: change.column } }
}
