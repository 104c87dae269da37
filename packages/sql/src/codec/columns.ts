import type { WritingAcross } from '../compile.js'
import type { SqlValue } from '../executor.js'
import type { Column, Table } from '../schema/shape.js'

/** The cells of a row that was selected by a list of columns, in its order. */
export type Cells<Row, Columns extends readonly (keyof Row)[]> = { readonly [At in keyof Columns]: Row[Columns[At]] }

/** A column that is written from a property of the same name. */
export interface Field<Row, Name extends string = string> {
  readonly property: keyof Row & string
  readonly column: Name
}

/** The fields of a table for properties of a row; `createdAt` is written to `created_at`. */
export function fieldsOf<
  Row extends { readonly [Name in keyof Row]: SqlValue | boolean },
  Columns extends Record<string, Column>,
>(table: Table<Columns>, properties: readonly (keyof Row & string)[]): readonly Field<Row, keyof Columns & string>[] {
  return properties.map((property) => {
    const column = property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    if (!Object.hasOwn(table.columns, column)) throw new TypeError(`${table.name} has no column ${column}.`)
    // The table has a column of that name.
    return { property, column: column as keyof Columns & string }
  })
}

/**
 * The fields as what an insert or an update sets. A slot fits wherever Kysely expects a value, whatever its type; what
 * the fields leave out of a row must be added, and the database sees to that.
 */
export function written<Row extends { readonly [Name in keyof Row]?: SqlValue | boolean }, Input, Name extends string>(
  fields: readonly Field<Row, Name>[],
  rowOf: (input: Input) => { readonly [Property in keyof Row]?: SqlValue | boolean },
  { computed }: WritingAcross<Input>,
): Readonly<Record<Name, never>> {
  const entries = fields.map(({ property, column }) => [column, computed((input) => toSql(rowOf(input)[property]))])
  return Object.fromEntries(entries)
}

function toSql(value: SqlValue | boolean | undefined): SqlValue {
  return typeof value === 'boolean' ? Number(value) : (value ?? null)
}

/** Column names under a table's alias. */
export function under<Alias extends string, Column extends string>(
  alias: Alias,
  columns: readonly Column[],
): `${Alias}.${Column}`[] {
  return columns.map((column): `${Alias}.${Column}` => `${alias}.${column}`)
}
