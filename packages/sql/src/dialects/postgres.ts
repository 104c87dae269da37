import type { SqlTraits } from '../traits.js'
import { postgresQueries } from './postgres-queries.js'
import { postgresSchema } from './postgres-schema.js'

/** PostgreSQL from version 14 on, with the tables in one of its schemas. */
export function postgresTraits(schema: string): SqlTraits {
  return { dialect: 'postgres', ...postgresQueries(schema), ...postgresSchema(schema) }
}
