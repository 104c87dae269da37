import { describe, expect, it } from 'vitest'
import { cutsOf, partsFrom } from '../src/chunks.js'

const part = { index: 0, type: 'text', toolCallId: 'c', state: null, createdAt: 1, updatedAt: 1 }

describe('a payload that is longer than a row', () => {
  it('is cut into pieces of at most that length', () => {
    expect(cutsOf('abcdefg', 3)).toEqual([3, 6, 7])
    expect(cutsOf('abcdef', 3)).toEqual([3, 6])
  })

  it('is never cut within a surrogate pair', () => {
    const text = 'a😀😀b😀'
    const cuts = cutsOf(text, 3)
    const pieces = cuts.map((end, at) => text.slice(cuts[at - 1] ?? 0, end))
    expect(pieces).toEqual(['a😀', '😀b', '😀'])
  })

  it('is read as it was, beside others', () => {
    const rows = [
      { ...part, chunk: 0, payloadJson: '{"a":' },
      { ...part, chunk: 1, toolCallId: null, payloadJson: '1}' },
      { ...part, index: 1, chunk: 0, payloadJson: '{}' },
    ]
    expect(partsFrom(rows)).toEqual([
      { ...part, payloadJson: '{"a":1}' },
      { ...part, index: 1, payloadJson: '{}' },
    ])
  })
})
