import { type InsertQueryBuilder, type InsertResult, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { WritingAcross } from '../compile.js'
import type { Database } from '../schema/tables.js'

/**
 * Inserts a row some of whose values stand in another row, which is looked up once for all of them. Where that is not
 * there, neither is the new one.
 */
export function insertFrom<Target extends keyof Database, Tables extends keyof Database>(
  { db }: Pick<WritingAcross<never>, 'db'>,
  table: Target,
  source: SelectQueryBuilder<Database, Tables, object>,
  values: Readonly<Record<string, unknown>>,
  found: Readonly<Record<string, RawBuilder<number>>>,
): InsertQueryBuilder<Database, Target, InsertResult> {
  const columns = [...Object.keys(values), ...Object.keys(found)]
  const given = Object.entries(values).map(([column, value]) => sql`${value}`.as(column))
  const looked = Object.entries(found).map(([column, value]) => value.as(column))
  return (
    db
      .insertInto(table)
      // The names are those of columns of the table: the type cannot tell for one that it does not know.
      .columns(columns as never)
      .expression(source.select([...given, ...looked]))
  )
}
