import { createPause } from '../event-loop.js'
import type { Work } from '../work.js'

const rowsAtOnce = 1000

/**
 * Removes what deletions left behind in a scope, or everywhere when it is null, in transactions short enough to let other
 * writers in between.
 */
export async function sweep(work: Work, scope: string | null): Promise<void> {
  const pause = createPause()
  while (await work.backend.upkeep.sweep(scope, rowsAtOnce, work)) await pause()
}
