import { HoldfastError } from '@holdfast/core'
import type { Database, Options } from 'better-sqlite3'

export type Driver = new (path: string, options: Options) => Database

/** Imported when a store is opened, not before: whoever only mentions this package needs no native code. */
export async function loadDriver(): Promise<Driver> {
  try {
    return (await import('better-sqlite3')).default
  } catch (cause) {
    throw new HoldfastError('unsupported', 'better-sqlite3 could not be loaded; is it installed for this Node.js?', {
      entity: 'store',
      cause,
    })
  }
}

/**
 * Whether an engine is free of the WAL-reset bug, by which two connections that write and checkpoint at once can corrupt
 * the file. It came with WAL in 3.7.0 and went with 3.51.3; 3.44.6 and 3.50.7 carry the fix too.
 */
export function isSafeEngine(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  if (major !== 3) return major > 3
  if (minor === 44) return patch >= 6
  if (minor === 50) return patch >= 7
  if (minor === 51) return patch >= 3
  return minor > 51
}
