import { statSync } from 'node:fs'
import { HoldfastError } from '@holdfast/core'

interface Use {
  readonly engine: string
  stores: number
}

const registryKey = Symbol.for('holdfast.sqlite.engines')

/**
 * Refuses a file that another SQLite library has open in this process, and says when this one no longer has. Two
 * libraries do not know of each other's locks, and the operating system drops all locks of a process on a file when
 * any one of its handles is closed: commits that were acknowledged are lost without an error.
 */
export function claimFile(path: string, engine: string): () => void {
  const registry = engines()
  const { dev, ino } = statSync(path, { bigint: true })
  const file = `${dev}:${ino}`
  const use = registry.get(file) ?? { engine, stores: 0 }
  if (use.engine !== engine) {
    throw new HoldfastError(
      'in_use',
      `${use.engine} has this file open in this process; ${engine} beside it would lose commits. Close the other first.`,
      { entity: 'store' },
    )
  }
  use.stores++
  registry.set(file, use)
  return () => {
    use.stores--
    if (use.stores === 0) registry.delete(file)
  }
}

/** On the global object, so that every adapter and every copy of this package sees the same one. */
function engines(): Map<string, Use> {
  const shared = globalThis as { [registryKey]?: Map<string, Use> }
  shared[registryKey] ??= new Map()
  return shared[registryKey]
}
