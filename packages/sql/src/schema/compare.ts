import type { FoundTable, SchemaTraits } from '../traits.js'
import type { AddColumn, AddIndex } from './migration.js'
import type { Column, Table } from './shape.js'

/** A way in which a real database is not what its version promises. */
export interface Difference {
  /** The table, or the table and its column or index. */
  readonly place: string
  readonly problem: string
  /** What puts it right without touching a row, where anything does. */
  readonly repair: AddColumn | AddIndex | undefined
}

/** Tables, columns and indexes that nobody promised are somebody else's and never a difference. */
export function differences(
  promised: Iterable<Table>,
  found: readonly FoundTable[],
  traits: SchemaTraits,
): readonly Difference[] {
  const byName = new Map(found.map((table) => [table.name, table]))
  return [...promised].flatMap((table) => {
    const real = byName.get(table.name)
    if (real === undefined) return [{ place: table.name, problem: 'is missing', repair: undefined }]
    return [...columnDifferences(table, real, traits), ...indexDifferences(table, real)]
  })
}

function columnDifferences(table: Table, found: FoundTable, traits: SchemaTraits): readonly Difference[] {
  const byName = new Map(found.columns.map((column) => [column.name, column]))
  return Object.entries(table.columns).flatMap(([name, column]) => {
    const place = `${table.name}.${name}`
    const real = byName.get(name)
    if (real === undefined) {
      const repair = canBeAdded(table, name, column)
        ? { kind: 'add column' as const, table: table.name, name, column }
        : undefined
      return [{ place, problem: 'is missing', repair }]
    }
    if (!traits.sameType(real.type, column.type)) {
      return [{ place, problem: `is ${real.type} instead of ${traits.columnType(column.type)}`, repair: undefined }]
    }
    if (real.nullable !== column.nullable) {
      return [{ place, problem: column.nullable ? 'refuses null' : 'allows null', repair: undefined }]
    }
    return []
  })
}

/** A column of a key cannot come back by itself: the constraint would not come with it. */
function canBeAdded(table: Table, name: string, column: Column): boolean {
  if (!column.nullable && column.defaultTo === undefined) return false
  return ![table.primaryKey, ...table.foreignKeys.map((key) => key.columns)].some((columns) => columns.includes(name))
}

function indexDifferences(table: Table, found: FoundTable): readonly Difference[] {
  return table.indexes
    .filter((index) => !found.indexes.includes(index.name))
    .map((index) => ({
      place: `${table.name}.${index.name}`,
      problem: 'is missing',
      repair: { kind: 'add index', table: table.name, index },
    }))
}
