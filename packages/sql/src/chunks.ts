import type { PartRow } from '@holdfast/core'
import type { PartChunk } from './codec/messages.js'

/** Where to cut a text so that no piece is longer than a row may be: the end of each piece. */
export function cutsOf(text: string, longest: number): readonly number[] {
  const cuts: number[] = []
  for (let end = 0; end < text.length; cuts.push(end)) {
    end = Math.min(end + longest, text.length)
    // Half a surrogate pair is no text that a database could keep.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--
  }
  return cuts
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/** The parts that rows of one message stand for, in the order of index and chunk. */
export function partsFrom(chunks: readonly PartChunk[]): PartRow[] {
  const parts: PartRow[] = []
  for (const { chunk, ...part } of chunks) {
    const begun = parts.at(-1)
    if (chunk === 0 || begun === undefined) parts.push(part)
    else parts[parts.length - 1] = { ...begun, payloadJson: begun.payloadJson + part.payloadJson }
  }
  return parts
}
