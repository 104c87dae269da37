export { createSqlBackend, type SqlBackendOptions } from './backend.js'
export { postgresTraits } from './dialects/postgres.js'
export { sqliteTraits } from './dialects/sqlite.js'
export type {
  About,
  Found,
  Query,
  SchemaReads,
  SchemaSession,
  SqlExecutor,
  SqlRow,
  SqlValue,
  Statement,
  Step,
  WriteOutcome,
} from './executor.js'
export { type AssessOptions, assessSchema, type MigrateOptions, migrate } from './schema/migrate.js'
export type { AddColumn, AddIndex, Change, CreateTable, Migration, Rebuild } from './schema/migration.js'
export { promisedTables } from './schema/migration.js'
export { migrations } from './schema/migrations.js'
export type { Column, ColumnType, ForeignKey, Index, Table } from './schema/shape.js'
export type { Database } from './schema/tables.js'
export type { EngineQueries, FoundTable, KeyedTable, QueryTraits, SchemaTraits, SqlTraits } from './traits.js'
