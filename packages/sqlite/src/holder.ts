import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { HoldfastError } from '@holdfast/core'

/** Who has a database for itself. The lock is the engine's and dies with the process; this only gives it a name. */
interface Holder {
  readonly pid: number
  readonly host: string
  readonly since: string
}

export function signHolder(path: string, fileMode: number, now: number): void {
  const holder: Holder = { pid: process.pid, host: hostname(), since: new Date(now).toISOString() }
  writeFileSync(noteOf(path), JSON.stringify(holder), { mode: fileMode })
}

export function removeHolder(path: string): void {
  rmSync(noteOf(path), { force: true })
}

/** What a note says about a holder that can still be there; a process that was killed leaves its note behind. */
export function livingHolder(path: string): Holder | undefined {
  try {
    const holder: Holder = JSON.parse(readFileSync(noteOf(path), 'utf8'))
    return holder.host !== hostname() || isAlive(holder.pid) ? holder : undefined
  } catch {
    // No note, or one that is being written: the lock has no name yet.
    return undefined
  }
}

export function inUse(holder: Holder | undefined, cause: unknown): HoldfastError {
  const by =
    holder === undefined
      ? 'at least one other connection'
      : `process ${holder.pid} on ${holder.host} since ${holder.since}, for itself`
  return new HoldfastError('in_use', `The database is in use by ${by}.`, { entity: 'store', cause })
}

function noteOf(path: string): string {
  return `${path}-holder`
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Not being allowed to signal a process proves that it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
