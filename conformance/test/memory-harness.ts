import { MemoryData, openMemoryStore } from '@holdfast/core/memory'
import type { Harness } from '../src/index.js'

export const harness: Harness = {
  name: 'memory',
  place: async () => {
    const data = new MemoryData()
    return {
      token: 'memory',
      open: (options) => openMemoryStore({ ...options, data }),
      remove: async () => undefined,
    }
  },
}
