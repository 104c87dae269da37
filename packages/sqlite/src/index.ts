export { openSqliteStore } from './open.js'
export type { Checkpoint, CheckpointMode, SqliteStore, SqliteStoreOptions } from './options.js'
