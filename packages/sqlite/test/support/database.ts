import type { SqlExecutor, SqlRow } from '@holdfast/sql'
import { onTestFinished } from 'vitest'
import { type Connection, connect } from '../../src/connection.js'
import { loadDriver } from '../../src/driver.js'
import { createSqliteExecutor } from '../../src/executor.js'

export interface OpenDatabase extends Connection {
  readonly executor: SqlExecutor
}

/** A database with an executor and nothing in it but what the test puts there. */
export async function openDatabase(path = ':memory:', busyTimeoutMs = 5_000): Promise<OpenDatabase> {
  const connection = connect(await loadDriver(), path, false)
  onTestFinished(connection.close)
  return { ...connection, executor: createSqliteExecutor(connection, busyTimeoutMs) }
}

/** The whole schema, as the engine wrote it down. */
export function schemaOf({ ask }: Connection): readonly SqlRow[] {
  return ask(`select type, name, tbl_name, sql from sqlite_schema where name <> 'sqlite_sequence' order by type, name`)
}

export function versionsOf({ ask }: Connection): readonly SqlRow[] {
  return ask('select version from holdfast_migrations order by version')
}
