/** The number of bytes a text takes as UTF-8, without encoding it. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) continue
    if (unit < 0x800) bytes += 1
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 2
    else {
      // A pair of surrogates is four bytes for two units; a lone one is written as U+FFFD, three bytes for one.
      const next = text.charCodeAt(at + 1)
      bytes += 2
      if (unit < 0xdc00 && next >= 0xdc00 && next <= 0xdfff) at++
    }
  }
  return bytes
}

/** Whether a text takes more than `limit` bytes as UTF-8; short texts are decided without counting. */
export function exceedsBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true
  return text.length * 3 > limit && utf8Length(text) > limit
}

/** Orders texts by their UTF-8 bytes, as every backend does. JavaScript's own order differs above U+FFFF. */
export function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at)
    const b = right.charCodeAt(at)
    if (a === b) continue
    // Surrogates stand for code points above U+FFFF and sort after everything else.
    const aHigh = a >= 0xd800 && a <= 0xdfff
    const bHigh = b >= 0xd800 && b <= 0xdfff
    if (aHigh !== bHigh) return aHigh ? 1 : -1
    return a - b
  }
  return left.length - right.length
}

const combiningMarks = /[\u0300-\u036f]/g

/**
 * Folds case and accents, so that `Ångström` is found by `angstrom` and `Straße` by `STRASSE`. Only the general combining
 * marks are removed and the rest is recomposed: removing every mark would shred Hangul and merge kana.
 */
export function foldText(text: string): string {
  const bare = text.normalize('NFKD').replace(combiningMarks, '')
  // Some letters have a pair only in one direction, and a sigma at the end of a word is written otherwise than inside.
  const folded = bare.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
  return folded.normalize('NFC')
}

/** The first code points of a text, never half a surrogate pair. */
export function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text
  let at = 0
  for (let taken = 0; taken < count && at < text.length; taken++) {
    const unit = text.charCodeAt(at)
    const next = text.charCodeAt(at + 1)
    at += unit >= 0xd800 && unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff ? 2 : 1
  }
  return text.slice(0, at)
}
