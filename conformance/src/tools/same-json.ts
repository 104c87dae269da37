import { expect } from 'vitest'

/** Expects two values to be the same JSON text: the order of keys counts, which structural equality does not see. */
export function expectSameJson(actual: unknown, expected: unknown): void {
  expect(JSON.stringify(actual)).toBe(JSON.stringify(expected))
}
