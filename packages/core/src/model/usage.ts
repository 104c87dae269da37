import { z } from 'zod'
import { tooLarge } from '../errors.js'
import { count, tooLargeParams } from './primitives.js'

/** What a session may spend at most, of each: whole numbers above 2⁵³ could not be added up exactly. */
export const mostUsage = 9e15

const amount = count
  .check((context) => {
    if (context.value > mostUsage)
      context.issues.push({
        code: 'custom',
        message: `is larger than ${mostUsage}`,
        input: context.value,
        params: tooLargeParams,
      })
  })
  .optional()

/**
 * Tokens and money. The cost is a whole number of 10⁻⁹ units of one currency per session, so that sums stay exact. What a
 * session spends is at most 9·10¹⁵ of each; what would make it more is `too_large`.
 */
export const usageInput = z.strictObject({
  input: amount,
  output: amount,
  reasoning: amount,
  cacheRead: amount,
  cacheWrite: amount,
  total: amount,
  cost: amount,
})

export type UsageInput = z.input<typeof usageInput>

export const usageFields = ['input', 'output', 'reasoning', 'cacheRead', 'cacheWrite', 'total', 'cost'] as const

export type Usage = Readonly<Record<(typeof usageFields)[number], number>>

export const noUsage: Usage = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0, total: 0, cost: 0 }

/** Fills in what was not said; a missing total is the sum of input and output. */
export function completeUsage(given: UsageInput): Usage {
  const input = given.input ?? 0
  const output = given.output ?? 0
  const total = given.total ?? input + output
  if (total > mostUsage) throw tooLarge('usage.total', mostUsage, 'tokens')
  return {
    input,
    output,
    reasoning: given.reasoning ?? 0,
    cacheRead: given.cacheRead ?? 0,
    cacheWrite: given.cacheWrite ?? 0,
    total,
    cost: given.cost ?? 0,
  }
}
