import { isPlainObject } from './json.js'

/** A synchronous SHA-256 of a text's UTF-8 bytes, in hex. Adapters supply the platform's own, which is faster. */
export type Sha256 = (text: string) => string

const slice = 65_536

/**
 * The digest of a caller's input, by which a repeated call is told from a different one. Keys are sorted, undefined
 * properties do not count and neither does the id; long strings are folded in slice by slice, so that no second copy of
 * them is built.
 */
export function digestOf(input: object, sha256: Sha256): string {
  return sha256(canonicalObject(input, sha256, 'id'))
}

// The canonical form is not JSON: strings stand after their length, so nothing needs to be escaped and no two values
// have the same form.
function canonical(value: unknown, sha256: Sha256): string {
  if (typeof value === 'string') return canonicalString(value, sha256)
  if (Array.isArray(value)) {
    let text = '['
    for (let at = 0; at < value.length; at++) text += `${canonical(value[at], sha256)},`
    return `${text}]`
  }
  if (isPlainObject(value)) return canonicalObject(value, sha256)
  return JSON.stringify(value ?? null)
}

function canonicalObject(value: object, sha256: Sha256, without?: string): string {
  const keys = Object.keys(value)
  if (!isSorted(keys)) keys.sort()
  let text = '{'
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as string
    const item = (value as Record<string, unknown>)[key]
    if (item !== undefined && key !== without) text += `${canonicalString(key, sha256)}${canonical(item, sha256)},`
  }
  return `${text}}`
}

function isSorted(keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at++) if ((keys[at - 1] as string) > (keys[at] as string)) return false
  return true
}

function canonicalString(value: string, sha256: Sha256): string {
  if (value.length <= slice) return exact(value)
  let text = `#${value.length}`
  for (let at = 0; at < value.length; at += slice) {
    const piece = value.slice(at, at + slice)
    text += piece.isWellFormed() ? `:${sha256(piece)}` : `%${sha256(JSON.stringify(piece))}`
  }
  return text
}

/** Lone surrogates all become the same bytes in UTF-8, so a string that has one is escaped. */
function exact(value: string): string {
  return value.isWellFormed() ? `"${value.length}:${value}` : JSON.stringify(value)
}
