import type { Clock } from './clock.js'

/** Mints ids: a type prefix and a time-ordered, monotonic body. */
export type IdSource = (prefix: IdPrefix) => string

export type IdPrefix = 'ses' | 'br' | 'msg' | 'evt' | 'use'

/** Fills an array with random bytes. */
export type RandomBytes = (into: Uint8Array<ArrayBuffer>) => void

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const timeDigits = 10
const counterSpan = 2 ** 20
const randomDigits = 12

/** The platform's cryptographic randomness, drawn in blocks because each call has a fixed price. */
const systemRandom: RandomBytes = (into) => {
  crypto.getRandomValues(into)
}

/**
 * 48 bits of milliseconds, a 20-bit counter and 60 random bits, in 26 digits that sort as they were minted. The time
 * never goes back: while the clock is behind, the counter goes on from the newest time seen.
 */
export function createIdSource(clock: Clock, random: RandomBytes = systemRandom): IdSource {
  const pool = new Uint8Array(randomDigits * 256)
  let used = pool.length
  let time = -1
  let counter = 0
  let timeText = ''

  function nextRandom(): string {
    if (used === pool.length) {
      random(pool)
      used = 0
    }
    let text = ''
    for (let digit = 0; digit < randomDigits; digit++) text += alphabet[(pool[used + digit] ?? 0) & 31]
    used += randomDigits
    return text
  }

  return (prefix) => {
    const now = clock()
    if (now > time) {
      time = now
      timeText = encode(time, timeDigits)
      counter = 0
    } else if (++counter === counterSpan) {
      time++
      timeText = encode(time, timeDigits)
      counter = 0
    }
    return `${prefix}_${timeText}${encode(counter, 4)}${nextRandom()}`
  }
}

function encode(value: number, digits: number): string {
  let text = ''
  let rest = value
  for (let digit = 0; digit < digits; digit++) {
    text = alphabet[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}
