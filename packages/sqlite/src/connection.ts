import type { SqlRow, Statement } from '@holdfast/sql'
import type { Database, Statement as Prepared } from 'better-sqlite3'
import type { Driver } from './driver.js'

/** How long the driver itself may wait for a lock. It blocks the event loop meanwhile, so longer waits are not its own. */
const driverWaitMs = 20

/** A handle of the driver that keeps every statement it ever prepared. */
export interface Connection {
  readonly db: Database
  prepare(statement: Statement): Prepared<unknown[], SqlRow>
  ask(text: string): readonly SqlRow[]
  close(): void
}

export function connect(driver: Driver, path: string, readonly: boolean): Connection {
  const db = new driver(path, { readonly, timeout: driverWaitMs })
  // Never let go of: on Node 24 the driver's twelfth version aborts the process when a statement is garbage-collected.
  // By text, for a statement with a rare filter may be compiled again.
  const prepared = new Map<string, Prepared<unknown[], SqlRow>>()

  function prepare({ text, returns }: Pick<Statement, 'text' | 'returns'>): Prepared<unknown[], SqlRow> {
    let found = prepared.get(text)
    if (found === undefined) {
      found = db.prepare<unknown[], SqlRow>(text)
      if (returns) found.raw(true)
      prepared.set(text, found)
    }
    return found
  }

  return {
    db,
    prepare,
    ask: (text) => prepare({ text, returns: true }).all(),
    close() {
      db.close()
    },
  }
}
