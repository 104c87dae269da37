import { invalid } from './errors.js'
import { isPlainObject } from './json.js'

// A cursor is opaque to users: `1.` and base64url of `[fingerprint, key…]`. The fingerprint covers the kind of list, the
// scope and the query, so that a cursor is refused everywhere but where it came from. It is no secret and no signature:
// what a cursor may reach is decided by the scope it is used in, never by the cursor.

type CursorKey = readonly (string | number)[]

const version = '1.'
// biome-ignore lint/suspicious/noControlCharactersInRegex: every ASCII character is meant
const ascii = /^[\u0000-\u007f]*$/

export function writeCursor(fingerprint: string, key: CursorKey): string {
  return version + btoa(binaryOf(JSON.stringify([fingerprint, ...key]))).replace(/[+/=]/g, urlSafe)
}

function urlSafe(character: string): string {
  return character === '+' ? '-' : character === '/' ? '_' : ''
}

/** A text whose characters are the UTF-8 bytes of another; ids are mostly ASCII, which is its own. */
function binaryOf(text: string): string {
  if (ascii.test(text)) return text
  let binary = ''
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte)
  return binary
}

/** Reads the key of a cursor whose parts are of the types named, or refuses it. */
export function readCursor(cursor: string, fingerprint: string, types: readonly ('string' | 'number')[]): CursorKey {
  const values = decode(cursor)
  const key = values?.slice(1)
  const fits = key?.length === types.length && key.every((part, at) => typeof part === types[at])
  if (!fits) throw invalid('The cursor is not one of this library, or damaged.', 'cursor')
  if (values?.[0] !== fingerprint) throw invalid('The cursor belongs to another query or scope.', 'cursor')
  // `fits` has checked every part.
  return key as CursorKey
}

function textOf(binary: string): string {
  if (ascii.test(binary)) return binary
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

function decode(cursor: string): readonly unknown[] | undefined {
  if (!cursor.startsWith(version)) return undefined
  try {
    const binary = atob(cursor.slice(version.length).replaceAll('-', '+').replaceAll('_', '/'))
    const values: unknown = JSON.parse(textOf(binary))
    return Array.isArray(values) ? values : undefined
  } catch {
    return undefined
  }
}

/** A short hash of a query and its scope; equal queries are equal whatever the order of their keys. */
export function fingerprintOf(kind: string, scope: string, query: unknown): string {
  return hash(`${kind}\u0000${scope}\u0000${stable(query)}`)
}

function stable(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stable).join()}]`
  if (!isPlainObject(value)) return JSON.stringify(value) ?? ''
  const keys = Object.keys(value).filter((key) => value[key] !== undefined)
  return `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${stable(value[key])}`)
    .join()}}`
}

/** FNV-1a over UTF-16 units in two lanes: enough to tell queries apart, and nothing is protected by it. */
function hash(text: string): string {
  let low = 0x811c9dc5
  let high = 0x01000193
  for (let at = 0; at < text.length; at++) {
    low = Math.imul(low ^ text.charCodeAt(at), 0x01000193)
    high = Math.imul(high ^ text.charCodeAt(at), 0x85ebca6b)
  }
  return (low >>> 0).toString(36) + (high >>> 0).toString(36)
}
