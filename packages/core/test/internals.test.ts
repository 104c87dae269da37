import { createHash } from 'node:crypto'
import { compareUtf8 } from '@holdfast/core'
import { createRandom } from '@holdfast/core/testing'
import { describe, expect, it } from 'vitest'
import { digestOf } from '../src/digest.js'
import { encodeJson } from '../src/json.js'
import { sha256 } from '../src/sha256.js'
import { exceedsBytes, firstCodePoints, foldText, utf8Length } from '../src/text.js'

const seed = Number(process.env.HOLDFAST_SEED ?? 20_300_101)
const native = (text: string) => createHash('sha256').update(text).digest('hex')

function randomText(random: () => number, length: number): string {
  const ranges = [
    [0x20, 0x7e],
    [0x80, 0x7ff],
    [0x800, 0xd7ff],
    [0xd800, 0xdfff],
    [0xe000, 0xffff],
    [0x10000, 0x10ffff],
  ] as const
  return Array.from({ length }, () => {
    const [from, to] = ranges[Math.floor(random() * ranges.length)] ?? ranges[0]
    return String.fromCodePoint(from + Math.floor(random() * (to - from + 1)))
  }).join('')
}

describe(`texts (seed ${seed})`, () => {
  const random = createRandom(seed)
  const texts = Array.from({ length: 500 }, () => randomText(random, Math.floor(random() * 40)))

  it('are counted in bytes as the platform encodes them', () => {
    for (const text of texts) expect(utf8Length(text)).toBe(Buffer.byteLength(text))
  })

  it('exceed a limit exactly when they take more bytes', () => {
    for (const text of texts)
      for (const limit of [0, 10, 60]) expect(exceedsBytes(text, limit)).toBe(Buffer.byteLength(text) > limit)
  })

  it('are ordered by their UTF-8 bytes', () => {
    const wellFormed = texts.filter((text) => text.isWellFormed())
    expect(wellFormed.length).toBeGreaterThan(20)
    const byBytes = [...wellFormed].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
    expect([...wellFormed].sort(compareUtf8)).toEqual(byBytes)
  })

  it('are cut between code points', () => {
    expect(firstCodePoints('a😀b', 2)).toBe('a😀')
    expect(firstCodePoints('😀😀', 1)).toBe('😀')
    expect(firstCodePoints('abc', 5)).toBe('abc')
  })

  it('are folded without case and accents, and Hangul and kana stay whole', () => {
    expect(foldText('Ångström ÉCOLE')).toBe('angstrom ecole')
    expect(foldText('한국어')).toBe('한국어')
    expect(foldText('がぎぐ')).toBe('がぎぐ')
    expect(foldText('Straße ΟΔΟΣ')).toBe('strasse οδοσ')
  })

  it('are folded once for all', () => {
    for (const text of texts) expect(foldText(foldText(text))).toBe(foldText(text))
  })
})

describe('sha256 in plain JavaScript', () => {
  it('is the platform’s', () => {
    const random = createRandom(seed)
    for (let length = 0; length < 200; length++) {
      const text = randomText(random, length)
      expect(sha256(text)).toBe(native(text))
    }
  })
})

describe('the digest of an input', () => {
  const digest = (input: object) => digestOf(input, native)

  it('does not depend on the order of keys, on undefined properties or on the id', () => {
    expect(digest({ a: 1, b: { c: 2, d: 3 } })).toBe(digest({ id: 'x', b: { d: 3, c: 2, e: undefined }, a: 1 }))
  })

  it('tells inputs apart that only look alike', () => {
    const inputs = [
      {},
      { a: null },
      { a: '' },
      { a: 0 },
      { a: '0' },
      { a: [] },
      { a: [[]] },
      { a: {} },
      { 'a,': 0 },
      { a: [0, 1] },
    ]
    const more = [
      { a: ['0,1'] },
      { a: '"1:x' },
      { a: { id: 'x' } },
      { a: { id: 'y' } },
      { a: '\ud800' },
      { a: '\ud801' },
      { a: '\ufffd' },
    ]
    const digests = [...inputs, ...more].map(digest)
    expect(new Set(digests).size).toBe(digests.length)
  })

  it('sees every character of a long string', () => {
    const long = 'x'.repeat(200_000)
    const digests = [long, `${long}y`, `y${long}`, `${long.slice(1)}y`].map((text) => digest({ text }))
    expect(new Set(digests).size).toBe(4)
  })
})

describe('JSON', () => {
  const bounds = { depth: 3, bytes: 100 }

  it('is refused beyond its depth and its size', () => {
    expect(encodeJson([[[1]]], bounds, 'value')).toBe('[[[1]]]')
    expect(() => encodeJson([[[[1]]]], bounds, 'value')).toThrow(expect.objectContaining({ code: 'too_large' }))
    expect(() => encodeJson('ä'.repeat(60), bounds, 'value')).toThrow(expect.objectContaining({ code: 'too_large' }))
  })

  it.each([
    ['NaN', Number.NaN],
    ['a BigInt', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['a hole', new Array(2)],
    ['an object that encodes itself', { toJSON: () => 1 }],
  ])('refuses %s', (_, value) => {
    expect(() => encodeJson({ value }, bounds, 'value')).toThrow(expect.objectContaining({ code: 'invalid' }))
  })

  it('refuses a cycle', () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    expect(() => encodeJson(cycle, bounds, 'value')).toThrow(expect.objectContaining({ code: 'invalid' }))
  })
})
