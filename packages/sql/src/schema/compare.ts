import type { FoundForeignKey, FoundIndex, FoundTable, SchemaTraits } from '../traits.js'
import { literal } from './ddl.js'
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
    return [
      ...columnDifferences(table, real, traits),
      ...tableDifferences(table, real, traits),
      ...referenceDifferences(table, real),
      ...indexDifferences(table, real, found),
    ]
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
    if (column.defaultTo !== undefined && !isDefault(column.defaultTo, real.defaultTo)) {
      const problem = `has ${real.defaultTo ?? 'nothing'} for its default instead of ${literal(column.defaultTo)}`
      return [{ place, problem, repair: undefined }]
    }
    if (name === table.assigned && !real.assigned) {
      return [{ place, problem: 'is not assigned by the engine', repair: undefined }]
    }
    return []
  })
}

/** An engine may write a number down as a text. */
function isDefault(promised: number | string, found: string | null): boolean {
  return found === literal(promised) || found === literal(String(promised))
}

/** A column of a key cannot come back by itself: the constraint would not come with it. */
function canBeAdded(table: Table, name: string, column: Column): boolean {
  if (!column.nullable && column.defaultTo === undefined) return false
  return ![table.primaryKey, ...table.foreignKeys.map((key) => key.columns)].some((columns) => columns.includes(name))
}

function tableDifferences(table: Table, found: FoundTable, traits: SchemaTraits): readonly Difference[] {
  const problems: string[] = []
  const suffix = traits.tableSuffix(table)
  if (found.suffix !== suffix) problems.push(`is${found.suffix || ' plain'} instead of${suffix || ' plain'}`)
  const [key, realKey] = [listed(table.primaryKey), listed(found.primaryKey)]
  if (key !== realKey) problems.push(`has the primary key ${realKey} instead of ${key}`)
  return problems.map((problem) => ({ place: table.name, problem, repair: undefined }))
}

/** Foreign keys that nobody promised are somebody else's, as columns are. They have no names that could be compared. */
function referenceDifferences(table: Table, found: FoundTable): readonly Difference[] {
  const real = new Set(found.foreignKeys.map(reference))
  return table.foreignKeys
    .map((key) => ({ ...key, onDelete: key.onDelete ?? null }))
    .filter((key) => !real.has(reference(key)))
    .map((key) => ({
      place: `${table.name}.${key.columns.at(-1)}`,
      problem: `has no foreign key ${reference(key)}`,
      repair: undefined,
    }))
}

function indexDifferences(table: Table, found: FoundTable, all: readonly FoundTable[]): readonly Difference[] {
  return table.indexes.flatMap<Difference>((index) => {
    const place = `${table.name}.${index.name}`
    const real = found.indexes.find(({ name }) => name === index.name)
    if (real === undefined) {
      const elsewhere = all.find(({ indexes }) => indexes.some(({ name }) => name === index.name))
      // The name is taken, so it cannot be added.
      if (elsewhere !== undefined) return [{ place, problem: `is on ${elsewhere.name}`, repair: undefined }]
      return [{ place, problem: 'is missing', repair: { kind: 'add index', table: table.name, index } }]
    }
    const { columns, unique = false, whereNotNull } = index
    const condition = whereNotNull === undefined ? null : `${whereNotNull} is not null`
    const [promised, is] = [contents({ columns, unique, condition }), contents(real)]
    return promised === is ? [] : [{ place, problem: `is ${is} instead of ${promised}`, repair: undefined }]
  })
}

function reference({ columns, table, references, onDelete }: FoundForeignKey): string {
  const action = onDelete === null ? '' : ` on delete ${onDelete.toLowerCase()}`
  return `${listed(columns)} to ${table} ${listed(references)}${action}`
}

function contents({ columns, unique, condition }: Omit<FoundIndex, 'name'>): string {
  return `${unique ? 'unique ' : ''}${listed(columns)}${condition === null ? '' : ` where ${plain(condition)}`}`
}

/** Engines give a condition back as it was written, or in their own hand. */
function plain(condition: string): string {
  return condition.replace(/["()]/g, '').replace(/\s+/g, ' ').trim().toLowerCase()
}

function listed(columns: readonly string[]): string {
  return `(${columns.join(', ')})`
}
