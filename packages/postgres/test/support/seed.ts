import { createRandom } from '@holdfast/core/testing'

/** Randomness that HOLDFAST_SEED repeats. It is printed first, so that it is known of a test that hangs, too. */
export function seededRandom(what: string): () => number {
  const { HOLDFAST_SEED: given } = process.env
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given)
  console.log(`${what}: HOLDFAST_SEED=${seed}`)
  return createRandom(seed)
}
