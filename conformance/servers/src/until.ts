import { setTimeout } from 'node:timers/promises'

/** Waits for a condition, and fails when it does not come true in a time that only a broken machine needs. */
export async function until(condition: () => boolean, what: string, seconds = 60): Promise<void> {
  const end = performance.now() + seconds * 1000
  while (!condition()) {
    if (performance.now() > end) throw new Error(`Waited ${seconds} seconds in vain until ${what}.`)
    await setTimeout(5)
  }
}
