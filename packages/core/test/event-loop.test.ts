import { createPause, createStore } from '@holdfast/core'
import { createMemoryBackend } from '@holdfast/core/memory'
import { describe, expect, it } from 'vitest'

function busyFor(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** Whether a timer that was due at once ran before the work was done. */
async function lettingTimersRun(work: () => Promise<unknown>): Promise<boolean> {
  let ran = false
  setTimeout(() => {
    ran = true
  }, 0)
  await work()
  return ran
}

/** A store whose sweeps each take a while of one turn, as those of a database in the process do. */
function sweepingStore(bites: number) {
  const backend = createMemoryBackend()
  let left = bites
  return createStore({
    ...backend,
    upkeep: {
      ...backend.upkeep,
      sweep: async () => {
        busyFor(15)
        return --left > 0
      },
    },
  })
}

describe('long work in the process', () => {
  it('lets timers run between the bites of a sweep', async () => {
    expect(await lettingTimersRun(() => sweepingStore(3).admin.sweep())).toBe(true)
  })

  it('lets timers run while a session or a scope is deleted', async () => {
    for (const what of ['session', 'scope'] as const) {
      const store = sweepingStore(3)
      await store.scope('s').sessions.create({ id: 'a' })
      const deletion = () =>
        what === 'session' ? store.scope('s').sessions.delete('a') : store.admin.scopes.delete('s')
      expect(await lettingTimersRun(deletion)).toBe(true)
    }
  })

  it('gives no turn away while it has just had one', async () => {
    const pause = createPause()
    expect(await lettingTimersRun(pause)).toBe(false)
  })
})
