import type { Clock } from '../clock.js'
import { createIdSource, type IdSource } from '../ids.js'
import { createRandom } from './random.js'

/** Ids that are the same in every run with the same seed and clock. */
export function createSeededIds(seed: number, clock: Clock): IdSource {
  const random = createRandom(seed)
  return createIdSource(clock, (into) => {
    for (let at = 0; at < into.length; at++) into[at] = Math.floor(random() * 256)
  })
}
