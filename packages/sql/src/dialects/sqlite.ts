import type { SqlTraits } from '../traits.js'
import { sqliteQueries } from './sqlite-queries.js'
import { sqliteSchema } from './sqlite-schema.js'

/** Every engine that speaks SQLite's SQL. */
export const sqliteTraits: SqlTraits = { dialect: 'sqlite', ...sqliteQueries, ...sqliteSchema }
