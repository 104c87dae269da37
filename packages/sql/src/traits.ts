import type { Expression, Kysely, SelectQueryBuilder } from 'kysely'
import type { SchemaReads, SchemaSession, SqlRow, Statement } from './executor.js'
import type { Rebuild } from './schema/migration.js'
import type { ColumnType, Table } from './schema/shape.js'
import type { Database } from './schema/tables.js'

/** A table as a real database has it, as far as the comparison of shapes needs it. */
export interface FoundTable {
  readonly name: string
  /** What its definition ends with, in the words of `tableSuffix`. */
  readonly suffix: string
  readonly columns: readonly FoundColumn[]
  readonly primaryKey: readonly string[]
  readonly foreignKeys: readonly FoundForeignKey[]
  readonly indexes: readonly FoundIndex[]
}

interface FoundColumn {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  /** As a literal. */
  readonly defaultTo: string | null
  /** Whether the engine gives it out and never twice. */
  readonly assigned: boolean
}

export interface FoundForeignKey {
  readonly columns: readonly string[]
  readonly table: string
  readonly references: readonly string[]
  /** What is done, in SQL; null when nothing is. */
  readonly onDelete: string | null
}

export interface FoundIndex {
  readonly name: string
  /** Anything but a plain column in its own order is said in words that no column has for its name. */
  readonly columns: readonly string[]
  readonly unique: boolean
  /** Which rows it holds, in SQL; null when it holds all. */
  readonly condition: string | null
}

/** All that differs between SQL engines, in one place. */
export interface SqlTraits extends QueryTraits, SchemaTraits {
  /** The name of the engine. */
  readonly dialect: string
}

/** What differs in the text of queries. */
export interface QueryTraits {
  /** A Kysely instance that only compiles: it has the dialect's compiler and no driver. */
  readonly compiler: Kysely<Database>
  /** The longest payload one row may hold, in characters. */
  readonly chunkCharacters: number
  /** The function that gives the greatest of its arguments, and the one that gives the least. */
  readonly greatest: string
  readonly least: string
  /** Whether writers lock rows, so that two of them can wait for each other. */
  readonly locksRows: boolean
  /**
   * Whether a row whose key is taken is refused by an error. Asking the engine to do nothing instead costs more where a
   * statement that does nothing has to be made to fail anyway.
   */
  readonly failsWhenTaken: boolean
  /** A key that no row of the table has in the scope, and that is above all that were given out before its rows existed. */
  nextKey(table: KeyedTable, scope: Expression<number>): Expression<number>
  /** Keeps the rows of one table that a query finds from changing before the commit; nothing where writers are alone. */
  holding<Tables extends keyof Aliased, Aliased, Output>(
    query: SelectQueryBuilder<Aliased, Tables, Output>,
    table: Tables & string,
  ): SelectQueryBuilder<Aliased, Tables, Output>
  readonly engine: EngineQueries
}

/** The tables whose integer keys a statement asks for, one after the other within a scope. */
export type KeyedTable = 'holdfast_sessions' | 'holdfast_branches'

/** What an engine can tell about itself. */
export interface EngineQueries {
  /** Checks of the engine's own. A row is a problem when it is given words, which must not hold content. */
  readonly checks: readonly { readonly statement: Statement; readonly problem: (row: SqlRow) => string | undefined }[]
  /** One row with the bytes that the store takes. */
  readonly bytes: Statement
  /** Rows of a name and a value. */
  readonly settings: Statement
}

/** What differs in definitions of tables. */
export interface SchemaTraits {
  /** A table or an index as statements name it. */
  tableName(name: string): string
  /** The SQL type of a column. */
  columnType(type: ColumnType): string
  /** The order of the columns in a key: which of them tells most rows apart, or which keeps rows of a scope together. */
  keyOrder(columns: readonly string[]): readonly string[]
  /** Whether keys are added to a table after it was created, and after the indexes that are read through a whole scope. */
  readonly keysApart: boolean
  /** What follows the closing parenthesis of `create table`. */
  tableSuffix(table: Table): string
  /** The definition of a key column that the engine assigns, never giving one out twice. */
  assignedKey(column: string): string
  /** The definition of a key column whose next value `nextKey` gives. */
  numberedKey(column: string): string
  /** Which of the library's tables exist, and what they look like. */
  inspect(session: SchemaReads): Promise<readonly FoundTable[]>
  /** Whether a found type is the one the column was given. */
  sameType(found: string, type: ColumnType): boolean
  /** Gives a table another shape. Its rows stay, and so does what others added to it. */
  rebuild(session: SchemaSession, before: Table, rebuild: Rebuild): Promise<void>
  /** The tables among these with rows that refer to a missing row. */
  brokenReferences(session: SchemaReads, tables: readonly string[]): Promise<readonly string[]>
}
