import { createIdSource } from '@holdfast/core'
import { createFakeClock, createSeededIds } from '@holdfast/core/testing'
import { describe, expect, it } from 'vitest'

describe('ids', () => {
  it('are a type prefix and 26 digits', () => {
    expect(createIdSource(Date.now)('ses')).toMatch(/^ses_[0-9a-hjkmnp-tv-z]{26}$/)
  })

  it('sort as they were minted, also in one millisecond', () => {
    const mint = createIdSource(createFakeClock())
    const minted = Array.from({ length: 10_000 }, () => mint('msg'))
    expect(minted).toEqual([...minted].sort())
    expect(new Set(minted).size).toBe(minted.length)
  })

  it('never go back when the clock does', () => {
    const clock = createFakeClock()
    const mint = createIdSource(clock)
    const before = mint('msg')
    clock.advance(-3_600_000)
    const after = mint('msg')
    clock.advance(3_600_001)
    const later = mint('msg')
    expect(after > before).toBe(true)
    expect(later > after).toBe(true)
  })

  it('go on when more are minted in a millisecond than the counter counts', () => {
    const mint = createIdSource(createFakeClock())
    let last = mint('evt')
    for (let minted = 0; minted < 2 ** 20 + 5; minted++) {
      const next = mint('evt')
      if (next <= last) expect(next > last).toBe(true)
      last = next
    }
  })

  it('sort across the year 2100 and to the end of 48 bits', () => {
    const times = [Date.UTC(2099, 11, 31, 23, 59, 59, 999), Date.UTC(2100, 0, 1), Date.UTC(2100, 5, 1), 2 ** 48 - 1]
    const minted = times.map((time) => createIdSource(createFakeClock(time))('ses'))
    expect(minted).toEqual([...minted].sort())
    expect(new Set(minted.map((id) => id.length))).toEqual(new Set([30]))
  })

  it('are the same in every run with the same seed', () => {
    const first = createSeededIds(7, createFakeClock())
    const second = createSeededIds(7, createFakeClock())
    expect([first('ses'), first('msg')]).toEqual([second('ses'), second('msg')])
    expect(createSeededIds(8, createFakeClock())('ses')).not.toBe(createSeededIds(7, createFakeClock())('ses'))
  })
})
