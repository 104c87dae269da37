import { z } from 'zod'
import { count } from './primitives.js'

/** Tokens and money. The cost is a whole number of 10⁻⁹ units of one currency per session, so that sums stay exact. */
export const usageInput = z.strictObject({
  input: count.optional(),
  output: count.optional(),
  reasoning: count.optional(),
  cacheRead: count.optional(),
  cacheWrite: count.optional(),
  total: count.optional(),
  cost: count.optional(),
})

export type UsageInput = z.input<typeof usageInput>

export const usageFields = ['input', 'output', 'reasoning', 'cacheRead', 'cacheWrite', 'total', 'cost'] as const

export type Usage = Readonly<Record<(typeof usageFields)[number], number>>

export const noUsage: Usage = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0, total: 0, cost: 0 }

/** Fills in what was not said; a missing total is the sum of input and output. */
export function completeUsage(given: UsageInput): Usage {
  const input = given.input ?? 0
  const output = given.output ?? 0
  return {
    input,
    output,
    reasoning: given.reasoning ?? 0,
    cacheRead: given.cacheRead ?? 0,
    cacheWrite: given.cacheWrite ?? 0,
    total: given.total ?? input + output,
    cost: given.cost ?? 0,
  }
}
