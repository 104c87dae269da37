import { isPlainObject } from './json.js'

/** A synchronous SHA-256 of a text's UTF-8 bytes, in hex. Adapters supply the platform's own, which is faster. */
export type Sha256 = (text: string) => string

const slice = 65_536

/**
 * The digest of a caller's input, by which a repeated call is told from a different one. Keys are sorted, undefined
 * properties do not count, and long strings are folded in slice by slice so that no second copy of them is built.
 */
export function digestOf(input: unknown, sha256: Sha256): string {
  return sha256(canonical(input, sha256))
}

function canonical(value: unknown, sha256: Sha256): string {
  if (typeof value === 'string') return value.length > slice ? canonicalLong(value, sha256) : JSON.stringify(value)
  if (Array.isArray(value)) {
    let text = '['
    for (let at = 0; at < value.length; at++) text += (at === 0 ? '' : ',') + canonical(value[at], sha256)
    return `${text}]`
  }
  if (isPlainObject(value)) {
    let text = '{'
    for (const key of Object.keys(value).sort()) {
      const item = value[key]
      if (item === undefined) continue
      text += `${text === '{' ? '' : ','}${JSON.stringify(key)}:${canonical(item, sha256)}`
    }
    return `${text}}`
  }
  return JSON.stringify(value ?? null)
}

/** Not valid JSON on purpose: no short string can have the same canonical form. */
function canonicalLong(value: string, sha256: Sha256): string {
  let text = `#${value.length}`
  for (let at = 0; at < value.length; at += slice) text += `:${sha256(JSON.stringify(value.slice(at, at + slice)))}`
  return text
}
