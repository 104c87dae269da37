import { type Classified, type ErrorCode, HoldfastError, isHoldfastError } from '@holdfast/core'

type Meaning = readonly [pattern: RegExp, code: ErrorCode, words: string]

const meanings: readonly Meaning[] = [
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, 'busy', 'another connection holds the lock'],
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)/, 'disk_full', 'there is no room left; nothing was written'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'corrupt', 'the file is damaged or not a database; keep a copy and restore a backup'],
  [/^SQLITE_READONLY_DBMOVED/, 'unavailable', 'the file was moved or removed while it was open'],
  [/^(SQLITE_(READONLY|PERM)|EACCES|EPERM|EROFS)/, 'read_only', 'the file or its folder may not be written'],
  [/^SQLITE_AUTH/, 'unauthorized', 'access was denied'],
  [/^SQLITE_TOOBIG/, 'too_large', 'a value is larger than the engine allows'],
  [/^SQLITE_CONSTRAINT/, 'conflict', 'the write contradicts what is stored'],
  [/^SQLITE_CANTOPEN/, 'unavailable', 'the file could not be opened; in WAL mode, so must be the ones beside it'],
]

const anythingElse: Meaning = [/^/, 'unavailable', 'the engine failed']

const unsettled = new WeakSet<object>()

/** Remembers an error of a commit of which nobody can say whether it took place. */
export function markUnsettled(error: unknown): void {
  if (codeOf(error).startsWith('SQLITE_IOERR')) unsettled.add(Object(error))
}

/**
 * Says what a failure of the engine or of the file system means, by its code alone: texts of errors can hold content.
 * What has no such code is a mistake in the program, and undefined.
 */
export function classify(error: unknown): Classified | undefined {
  const found = codeOf(error)
  if (!/^(SQLITE_|E[A-Z]+$)/.test(found)) return undefined
  if (unsettled.has(Object(error))) {
    return {
      code: 'outcome_unknown',
      message: `SQLite could not finish a commit (${found}): it may or may not be stored.`,
    }
  }
  if (found === 'SQLITE_ERROR' && error instanceof Error && /^no such (table|column)/.test(error.message)) {
    return {
      code: 'schema_missing',
      message: 'A table or column of the store is gone; open it again to find out which.',
    }
  }
  const [, code, words] = meanings.find(([pattern]) => pattern.test(found)) ?? anythingElse
  return { code, message: `SQLite: ${words} (${found}).` }
}

/** For what happens outside the calls that core wraps. */
export function wrapped(error: unknown): unknown {
  const classified = isHoldfastError(error) ? undefined : classify(error)
  if (classified === undefined) return error
  return new HoldfastError(classified.code, classified.message, { entity: 'store', cause: error })
}

export function isBusy(error: unknown): boolean {
  return classify(error)?.code === 'busy'
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : ''
}
