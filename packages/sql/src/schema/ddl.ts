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
  if (change.kind === 'add index') return [createIndex(change.table, change.index, traits)]
  const { table } = change
  const indexesOf = (ofScope: boolean) =>
    table.indexes
      .filter((index) => (index.ofScope === true) === ofScope)
      .map((index) => createIndex(table.name, index, traits))
  const keys = traits.keysApart ? keysOf(table, traits) : []
  return [
    createTable(table, traits),
    ...indexesOf(true),
    ...keys.map((key) => `alter table ${traits.tableName(table.name)} add ${key}`),
    ...indexesOf(false),
  ]
}

/** `foreignColumns` are definitions of columns that are not the library's and must stay. */
export function createTable(table: Table, traits: SchemaTraits, foreignColumns: readonly string[] = []): string {
  const lines = Object.entries(table.columns).map(([name, column]) => {
    if (name === table.assigned) return traits.assignedKey(name)
    return name === table.numbered ? traits.numberedKey(name) : columnDefinition(name, column, traits)
  })
  lines.push(...foreignColumns)
  if (!traits.keysApart) lines.push(...keysOf(table, traits))
  return `create table ${traits.tableName(table.name)} (\n  ${lines.join(',\n  ')}\n)${traits.tableSuffix(table)}`
}

function keysOf(table: Table, traits: SchemaTraits): readonly string[] {
  const primary = `primary key (${quotedList(traits.keyOrder(table.primaryKey))})`
  const foreign = table.foreignKeys.map((key) => foreignKey(key, traits))
  return table.assigned === undefined ? [primary, ...foreign] : foreign
}

export function createIndex(table: string, index: Index, traits: SchemaTraits): string {
  const unique = index.unique ? 'unique ' : ''
  const where = index.whereNotNull === undefined ? '' : ` where ${quoted(index.whereNotNull)} is not null`
  return `create ${unique}index ${quoted(index.name)} on ${traits.tableName(table)} (${quotedList(arranged(index, traits).columns)})${where}`
}

function arranged(index: Index, traits: SchemaTraits): Index {
  return index.ofScope ? index : { ...index, columns: traits.keyOrder(index.columns) }
}

/** The table with the columns of its keys in the order that the engine wants. */
export function arrangedTable(table: Table, traits: SchemaTraits): Table {
  const indexes = table.indexes.map((index) => arranged(index, traits))
  return { ...table, primaryKey: traits.keyOrder(table.primaryKey), indexes }
}

function addColumn({ table, name, column }: AddColumn, traits: SchemaTraits): string {
  return `alter table ${traits.tableName(table)} add column ${columnDefinition(name, column, traits)}`
}

export function columnDefinition(name: string, column: Column, traits: SchemaTraits): string {
  const notNull = column.nullable ? '' : ' not null'
  const defaultTo = column.defaultTo === undefined ? '' : ` default ${literal(column.defaultTo)}`
  return `${quoted(name)} ${traits.columnType(column.type)}${notNull}${defaultTo}`
}

export function literal(value: number | string): string {
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`
}

export function foreignKey({ columns, table, references, onDelete }: ForeignKey, traits: SchemaTraits): string {
  const action = onDelete === undefined ? '' : ` on delete ${onDelete}`
  return `foreign key (${quotedList(columns)}) references ${traits.tableName(table)} (${quotedList(references)})${action}`
}
