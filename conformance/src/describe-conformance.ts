import type { Capabilities } from '@holdfast/core'
import { describe, it } from 'vitest'
import type { Group } from './behaviour.js'
import { carryOut } from './context.js'
import type { Harness } from './harness.js'

/** What the suite tells the report about a test, through the test runner's own metadata. */
export interface ConformanceMeta {
  readonly backend: string
  readonly group: string
  readonly unsupported: boolean
}

declare module 'vitest' {
  interface TaskMeta {
    conformance?: ConformanceMeta
  }
}

/** Enough for the slowest behaviour on a slow machine; no behaviour waits for time. */
const timeout = 120_000

/** Registers every behaviour as a test: the backend, the group, the sentence. */
export function describeGroups(harness: Harness, groups: readonly Group[]): void {
  describe(harness.name, async () => {
    const capabilities = await capabilitiesOf(harness)
    for (const { name, behaviours } of groups)
      describe(name, () => {
        for (const behaviour of behaviours) {
          const { requires, title } = behaviour
          const unsupported = requires !== undefined && !requires.met(capabilities)
          const meta = { backend: harness.name, group: name, unsupported }
          it(unsupported ? `${title} (unsupported: ${requires.missing})` : title, { timeout }, async ({ task }) => {
            task.meta.conformance = meta
            if (!unsupported) await carryOut(harness, behaviour)
          })
        }
      })
  })
}

/** A capability is a fact of the store, so a store is asked. */
async function capabilitiesOf(harness: Harness): Promise<Capabilities> {
  const place = await harness.place()
  try {
    const store = await place.open()
    await store.close()
    return store.capabilities
  } finally {
    await place.remove()
  }
}
