import { HoldfastError } from '@holdfast/core'
import type { Connection } from './connection.js'

/** Sets what a store relies on and reads it back: a pragma that the engine cannot follow is ignored in silence. */
export function setPragmas({ db, ask }: Connection, wanted: Readonly<Record<string, string | number>>): void {
  for (const [name, value] of Object.entries(wanted)) {
    db.exec(`pragma ${name} = ${value}`)
    const found = ask(`pragma ${name}`)[0]?.[0]
    if (found === value) continue
    throw new HoldfastError('unsupported', `SQLite has ${name} at ${found} and cannot set it to ${value} here.`, {
      entity: 'store',
    })
  }
}

export function filePragmas(durability: 'process' | 'power'): Readonly<Record<string, string | number>> {
  return {
    journal_mode: 'wal',
    // 1 is NORMAL and survives the process; 2 is FULL and waits for the disk at every commit.
    synchronous: durability === 'power' ? 2 : 1,
    wal_autocheckpoint: 1_000,
    foreign_keys: 1,
  }
}
