import { setTimeout } from 'node:timers/promises'

/** Waits for a condition. The time limit of the test is the limit. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await setTimeout(2)
}
