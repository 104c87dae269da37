import type { Backend } from '../ports/backend.js'
import type { Store } from '../ports/store.js'
import { createStore } from '../store.js'
import type { StoreOptions } from '../store-options.js'
import { commitInMemory } from './commit.js'
import { memoryReads } from './reads.js'
import { MemoryData } from './records.js'
import { memoryUpkeep } from './upkeep.js'

export { MemoryData }

/**
 * The reference backend: the whole contract on plain objects, gone with the process. For tests, for trying things out,
 * and to read when you write a backend of your own.
 */
export function createMemoryBackend(data: MemoryData = new MemoryData()): Backend {
  return {
    capabilities: {
      backend: 'memory',
      durable: false,
      sharing: 'process',
      exclusiveLock: false,
      rowLevelSecurity: false,
    },
    commit: async (scope, commands) => commitInMemory(data, scope, commands),
    ...memoryReads(data),
    upkeep: memoryUpkeep(data),
    classify: () => undefined,
    close: async () => undefined,
  }
}

export interface MemoryStoreOptions extends StoreOptions {
  /** What another memory store of this process keeps, to share it. */
  readonly data?: MemoryData
}

/**
 * Opens a store that lives in memory.
 *
 * @example
 * ```ts
 * const store = await openMemoryStore()
 * const session = await store.scope('default').sessions.create({ title: 'Trip to Oslo' })
 * ```
 */
export async function openMemoryStore({ data, ...options }: MemoryStoreOptions = {}): Promise<Store> {
  return createStore(createMemoryBackend(data), options)
}
