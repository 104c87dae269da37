import type { Call } from '@holdfast/core'

/** What crosses the line to a driver. Booleans are 0 and 1, times are milliseconds, JSON is text. */
export type SqlValue = string | number | null

/** Rows are arrays in the order of the selected columns: the fastest form every driver has. */
export type SqlRow = readonly SqlValue[]

/** A statement as it was compiled, once. The object itself is the key of an adapter's cache of prepared statements. */
export interface Statement {
  readonly text: string
  /** Whether it answers with rows. */
  readonly returns: boolean
}

/** A whole number in the first row that an earlier statement of the same read or write returned. */
export interface Found {
  /** Which of them, from 0. */
  readonly step: number
  readonly column: number
  /** What is added to it. */
  readonly plus: number
}

/** A statement with the values of one call. */
export interface Query {
  readonly statement: Statement
  readonly values: readonly (SqlValue | Found)[]
  /** Whether any of its values is found by an earlier statement: only where the executor `chains`. */
  readonly late?: boolean
}

/** What the statements of one read or write are about. */
export interface About {
  /** The id of the scope that they keep to; null for administration, which may look at all of them. */
  readonly scope: string | null
  /** The one session that a write changes, where it is one. Such writes may be committed together, in the order of ids. */
  readonly session?: string
}

/** One step of a write. */
export interface Step extends Query {
  /**
   * How many rows the step must affect (or return). When it affects another number, everything is rolled back and the
   * step is named. An executor that cannot look at the number between steps must make the database do it.
   */
  readonly expects?: number
  /** Whether it fails by itself, with a key that is taken, instead of affecting nothing: where the traits say so. */
  readonly failsWhenTaken?: boolean
}

export type WriteOutcome =
  | { readonly done: true /** Per step, the rows it returned. */; readonly rows: readonly (readonly SqlRow[])[] }
  | { readonly done: false /** The index of the step that did not affect what it had to. */; readonly step: number }

/** What an adapter gives to the SQL backend. It runs; it knows nothing of sessions and messages. */
export interface SqlExecutor {
  /**
   * Whether a statement may take values that an earlier one returned. It saves looking rows up again, and costs nothing where
   * the database is in the process; where it is not, every statement would be a round trip.
   */
  readonly chains: boolean

  /** Runs all steps in one transaction that takes the write lock first, or rolls all of them back. */
  write(steps: readonly Step[], about: About, call: Call): Promise<WriteOutcome>

  /** Runs queries on one snapshot. */
  read(queries: readonly Query[], about: About, call: Call): Promise<readonly (readonly SqlRow[])[]>

  /**
   * Runs `work` in one transaction while holding the lock that keeps every other process from migrating. Rolled back when
   * it throws.
   */
  exclusively<Result>(work: (session: SchemaSession) => Promise<Result>): Promise<Result>

  close(): Promise<void>
}

/** Plain SQL, for migrations and the comparison of shapes. */
export interface SchemaSession extends SchemaReads {
  run(sql: string): Promise<void>
}

export interface SchemaReads {
  all(sql: string): Promise<readonly SqlRow[]>
}
