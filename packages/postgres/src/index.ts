export { migratePostgres, openPostgresStore } from './open.js'
export type { PostgresStore, PostgresStoreOptions } from './options.js'
export { type RolesSqlOptions, rolesSql, rowLevelSecuritySql } from './roles.js'
