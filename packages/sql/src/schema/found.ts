import type { SqlRow, SqlValue } from '../executor.js'
import type { FoundTable } from '../traits.js'

/** What an engine's catalogue says about tables, each list in the order of tables and of columns within them. */
export interface Catalogue {
  /** Table, suffix, column, type, nullable, default, place in the primary key from 1, assigned. */
  readonly columns: readonly SqlRow[]
  /** Table, index, unique, condition, column. */
  readonly indexes: readonly SqlRow[]
  /** Table, anything that tells its foreign keys apart, on delete, table referred to, column, column referred to. */
  readonly references: readonly SqlRow[]
}

export function tablesFrom({ columns, indexes, references }: Catalogue): readonly FoundTable[] {
  const indexesOf = groupedBy(indexes, 0)
  const referencesOf = groupedBy(references, 0)
  return [...groupedBy(columns, 0)].map(([table, rows]) => ({
    name: String(table),
    suffix: String(rows[0]?.[1]),
    columns: rows.map(([, , name, type, nullable, defaultTo, , assigned]) => ({
      name: String(name),
      type: String(type),
      nullable: nullable === 1,
      defaultTo: textOrNull(defaultTo),
      assigned: assigned === 1,
    })),
    primaryKey: rows
      .filter(([, , , , , , place]) => Number(place) > 0)
      .sort((left, right) => Number(left[6]) - Number(right[6]))
      .map(([, , name]) => String(name)),
    foreignKeys: [...groupedBy(referencesOf.get(table) ?? [], 1).values()].map((key) => ({
      columns: key.map(([, , , , column]) => String(column)),
      table: String(key[0]?.[3]),
      references: key.map(([, , , , , column]) => String(column)),
      onDelete: textOrNull(key[0]?.[2]),
    })),
    indexes: [...groupedBy(indexesOf.get(table) ?? [], 1)].map(([name, index]) => ({
      name: String(name),
      columns: index.map(([, , , , column]) => String(column)),
      unique: index[0]?.[2] === 1,
      condition: textOrNull(index[0]?.[3]),
    })),
  }))
}

function groupedBy(rows: readonly SqlRow[], at: number): ReadonlyMap<SqlValue | undefined, readonly SqlRow[]> {
  const groups = new Map<SqlValue | undefined, SqlRow[]>()
  for (const row of rows) {
    const group = groups.get(row[at])
    if (group === undefined) groups.set(row[at], [row])
    else group.push(row)
  }
  return groups
}

function textOrNull(value: SqlValue | undefined): string | null {
  return value === null || value === undefined ? null : String(value)
}
