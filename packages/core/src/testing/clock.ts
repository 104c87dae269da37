import type { Clock } from '../clock.js'

/** A clock that stands until it is told otherwise. */
export interface FakeClock extends Clock {
  advance(ms: number): void
  /** Also into the past: real clocks do that. */
  set(ms: number): void
}

export function createFakeClock(start = Date.UTC(2030, 0, 1)): FakeClock {
  let now = start
  return Object.assign(() => now, {
    advance: (ms: number) => {
      now += ms
    },
    set: (ms: number) => {
      now = ms
    },
  })
}
