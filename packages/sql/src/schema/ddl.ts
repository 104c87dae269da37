import type { SchemaTraits } from '../traits.js'
import type { AddColumn, AddIndex, CreateTable } from './migration.js'
import type { Column, ForeignKey, Index, Table } from './shape.js'

/** Every name is quoted: `index`, `key` and `user` are words of SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function quotedList(names: readonly string[]): string {
  return names.map(quoted).join(', ')
}

/** The statements of a change that only adds. */
export function additionsOf(change: CreateTable | AddColumn | AddIndex, traits: SchemaTraits): readonly string[] {
  if (change.kind === 'add column') return [addColumn(change, traits)]
  if (change.kind === 'add index') return [createIndex(change.table, change.index)]
  return [
    createTable(change.table, traits),
    ...change.table.indexes.map((index) => createIndex(change.table.name, index)),
  ]
}

/** `foreignColumns` are definitions of columns that are not the library's and must stay. */
export function createTable(table: Table, traits: SchemaTraits, foreignColumns: readonly string[] = []): string {
  const lines = Object.entries(table.columns).map(([name, column]) =>
    name === table.assigned ? traits.assignedKey(name) : columnDefinition(name, column, traits),
  )
  lines.push(...foreignColumns)
  if (table.assigned === undefined) lines.push(`primary key (${quotedList(table.primaryKey)})`)
  lines.push(...table.foreignKeys.map(foreignKey))
  return `create table ${quoted(table.name)} (\n  ${lines.join(',\n  ')}\n)${traits.tableSuffix(table)}`
}

export function createIndex(table: string, index: Index): string {
  const unique = index.unique ? 'unique ' : ''
  const where = index.whereNotNull === undefined ? '' : ` where ${quoted(index.whereNotNull)} is not null`
  return `create ${unique}index ${quoted(index.name)} on ${quoted(table)} (${quotedList(index.columns)})${where}`
}

function addColumn({ table, name, column }: AddColumn, traits: SchemaTraits): string {
  return `alter table ${quoted(table)} add column ${columnDefinition(name, column, traits)}`
}

function columnDefinition(name: string, column: Column, traits: SchemaTraits): string {
  const notNull = column.nullable ? '' : ' not null'
  const defaultTo = column.defaultTo === undefined ? '' : ` default ${literal(column.defaultTo)}`
  return `${quoted(name)} ${traits.columnType(column.type)}${notNull}${defaultTo}`
}

export function literal(value: number | string): string {
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`
}

function foreignKey({ columns, table, references, onDelete }: ForeignKey): string {
  const action = onDelete === undefined ? '' : ` on delete ${onDelete}`
  return `foreign key (${quotedList(columns)}) references ${quoted(table)} (${quotedList(references)})${action}`
}
