import { statSync } from 'node:fs'
import { HoldfastError } from '@holdfast/core'

/** A SQLite library that is loaded in this process. */
export interface Engine {
  readonly name: string
  /** The same object for everybody who uses the same copy: the name does not tell two installed copies apart. */
  readonly library: object
}

interface Use {
  readonly engine: Engine
  stores: number
}

const registryKey = Symbol.for('holdfast.sqlite.engines')

/**
 * Refuses a file that another SQLite library has open in this process, and says when this one no longer has. Two
 * libraries do not know of each other's locks, and the operating system drops all locks of a process on a file when
 * any one of its handles is closed: commits that were acknowledged are lost without an error.
 */
export function claimFile(path: string, engine: Engine): () => void {
  const registry = engines()
  const { dev, ino } = statSync(path, { bigint: true })
  const file = `${dev}:${ino}`
  const use = registry.get(file) ?? { engine, stores: 0 }
  if (use.engine.library !== engine.library) {
    const other = use.engine.name === engine.name ? `Another copy of ${engine.name}` : use.engine.name
    throw new HoldfastError(
      'in_use',
      `${other} has this file open in this process; ${engine.name} beside it would lose commits. Close the other first.`,
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
