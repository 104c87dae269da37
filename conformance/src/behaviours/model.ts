import { group } from '../behaviour.js'
import { runRandomly } from '../model/random-run.js'

export const model = group('random operations', {
  'random operations leave the store as a naive model says, after every step': async ({ store, clock }) => {
    await runRandomly(store, clock)
  },
})
