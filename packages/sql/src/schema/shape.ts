// What a table looks like, as data. From it follow the DDL of every dialect, the types of the queries, and the comparison
// of a real database with what its version promises.

export type ColumnType = 'integer' | 'text'

export interface Column<Value = unknown> {
  readonly type: ColumnType
  readonly nullable: boolean
  /** A literal; a column that is added later must be nullable or have one. */
  readonly defaultTo?: number | string
  /** Only here for the type. */
  readonly value?: Value
}

export interface Index {
  readonly name: string
  readonly columns: readonly string[]
  readonly unique?: boolean
  /** Whether it is read through a whole scope, so that the scope must come first on every engine. */
  readonly ofScope?: boolean
  /** Only rows where this column is not null. */
  readonly whereNotNull?: string
}

export interface ForeignKey {
  readonly columns: readonly string[]
  readonly table: string
  readonly references: readonly string[]
  readonly onDelete?: 'cascade'
}

export interface Table<Columns extends Record<string, Column> = Record<string, Column>> {
  readonly name: string
  readonly columns: Columns
  readonly primaryKey: readonly string[]
  /** The one integer key column that the engine assigns, never twice. */
  readonly assigned?: string
  /** The one integer key column whose next value a statement asks for; unlike an assigned one it may be given. */
  readonly numbered?: string
  /** Rows are kept in the order of the primary key where the engine can: for narrow rows read by ranges. */
  readonly clustered?: boolean
  readonly foreignKeys: readonly ForeignKey[]
  readonly indexes: readonly Index[]
}

export const integer: Column<number> = { type: 'integer', nullable: false }
export const text: Column<string> = { type: 'text', nullable: false }
export const nullableInteger: Column<number | null> = { type: 'integer', nullable: true }
export const nullableText: Column<string | null> = { type: 'text', nullable: true }

export function withDefault<Value extends number | string>(column: Column<Value>, defaultTo: Value): Column<Value> {
  return { ...column, defaultTo }
}

/** The type of a row of a table, for queries. */
export type RowOf<Described> =
  Described extends Table<infer Columns>
    ? { [Name in keyof Columns]: Columns[Name] extends Column<infer Value> ? Value : never }
    : never

export function table<Columns extends Record<string, Column>>(described: Table<Columns>): Table<Columns> {
  return described
}
