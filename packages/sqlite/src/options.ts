import { assertStoreOptions, HoldfastError, type Store, type StoreOptions } from '@holdfast/core'

export interface SqliteStoreOptions extends StoreOptions {
  /** The file, created with its folders when it is not there, or `:memory:`. */
  readonly path: string
  /** Changes neither schema nor data. */
  readonly readOnly?: boolean
  /** False for hosts that must not change the schema: what is missing is then `schema_missing`. */
  readonly migrate?: boolean
  /** What an acknowledged write survives: the death of the process (the default), or also the loss of power. */
  readonly durability?: 'process' | 'power'
  /** Refuses every other connection to the file while this store is open. */
  readonly exclusive?: boolean
  /** The mode of files that are created; 0o600 when left out. */
  readonly fileMode?: number
  /** How long a call waits, in total, for other processes that write; 5,000 when left out. */
  readonly busyTimeoutMs?: number
}

export interface SqliteStore extends Store {
  /** The resolved path of the file, or `:memory:`. */
  readonly path: string
  /** Moves what the write-ahead log holds into the database file. */
  checkpoint(mode?: CheckpointMode): Promise<Checkpoint>
}

/** How far a checkpoint goes: from not waiting for anybody to leaving an empty log. */
export const checkpointModes = ['passive', 'full', 'restart', 'truncate'] as const
export type CheckpointMode = (typeof checkpointModes)[number]

export interface Checkpoint {
  /** Whether readers or writers kept it from finishing. */
  readonly busy: boolean
  /** Pages in the log, and how many of them are in the database file now. */
  readonly logPages: number
  readonly movedPages: number
}

/** Options with every decision made. */
export interface Settled {
  readonly path: string
  readonly readOnly: boolean
  readonly mayMigrate: boolean
  readonly durability: 'process' | 'power'
  readonly exclusive: boolean
  readonly fileMode: number
  readonly busyTimeoutMs: number
}

export const memoryPath = ':memory:'

/** The longest time that a timer can be set to. */
const longestWaitMs = 2 ** 31 - 1

type Rule = readonly [name: keyof SqliteStoreOptions, isValid: (value: unknown) => boolean, words: string]

const isBoolean = (value: unknown) => typeof value === 'boolean'
const isWholeUpTo = (most: number) => (value: unknown) =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most

const rules: readonly Rule[] = [
  ['readOnly', isBoolean, 'must be true or false'],
  ['migrate', isBoolean, 'must be true or false'],
  ['exclusive', isBoolean, 'must be true or false'],
  ['durability', (value) => value === 'process' || value === 'power', "must be 'process' or 'power'"],
  ['fileMode', isWholeUpTo(0o777), 'must be a whole number up to 0o777'],
  ['busyTimeoutMs', isWholeUpTo(longestWaitMs), `must be a whole number of milliseconds up to ${longestWaitMs}`],
]

/** Callers without types can give anything, and must learn which option is wrong before a file is touched. */
export function settle(options: SqliteStoreOptions): Settled {
  assertStoreOptions(options)
  for (const [name, isValid, words] of rules) {
    const value = options[name]
    if (value !== undefined && !isValid(value)) throw refused(`${name} ${words}.`, name)
  }
  const { path, readOnly = false, migrate = true, exclusive = false } = options
  if (!isPath(path)) throw refused('path must be a text without NUL that does not end in a space.', 'path')
  if (readOnly && exclusive) throw refused('A store that only reads cannot lock others out.', 'exclusive')
  if (path === memoryPath && (readOnly || !migrate)) throw refused('A database in memory begins empty.', 'path')
  if (path === memoryPath && exclusive) {
    throw new HoldfastError('unsupported', 'A database in memory has no others to lock out.', {
      entity: 'store',
      path: 'exclusive',
    })
  }
  return {
    path,
    readOnly,
    mayMigrate: migrate && !readOnly,
    durability: options.durability ?? 'process',
    exclusive,
    fileMode: options.fileMode ?? 0o600,
    busyTimeoutMs: options.busyTimeoutMs ?? 5_000,
  }
}

/** The driver cuts spaces off the end: it would open another file than the one that was looked at. */
function isPath(path: unknown): boolean {
  return typeof path === 'string' && path !== '' && !path.includes('\0') && path.trimEnd() === path
}

function refused(message: string, path: string): HoldfastError {
  return new HoldfastError('invalid', message, { entity: 'store', path })
}
