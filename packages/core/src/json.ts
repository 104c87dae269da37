import { invalid, isHoldfastError, tooLarge } from './errors.js'
import { exceedsBytes } from './text.js'

/** What JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** A JSON object. A property that is `undefined` is dropped when it is stored. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

interface JsonBounds {
  readonly depth: number
  readonly bytes: number
}

/**
 * Encodes a value as JSON text without losing anything, or refuses it. Escapes keep U+0000 and lone surrogates out of
 * the bytes, so the text survives every driver.
 */
export function encodeJson(value: unknown, bounds: JsonBounds, path: string): string {
  return encodeAndCopy(value, bounds, path).text
}

/** The text, and what a reader of it would get: a copy that the caller's later changes do not reach. */
export function encodeAndCopy(value: unknown, bounds: JsonBounds, path: string): { text: string; copy: JsonValue } {
  const copy = checkedCopy(value, bounds, path)
  const text = JSON.stringify(copy)
  if (exceedsBytes(text, bounds.bytes)) throw tooLarge(path, bounds.bytes)
  return { text, copy }
}

function checkedCopy(value: unknown, { depth }: JsonBounds, path: string): JsonValue {
  try {
    return copyOf(value, depth, depth, path)
  } catch (error) {
    // A cycle is as deep as one likes; it is looked for only when something was too deep.
    if (isHoldfastError(error, 'too_large') && hasCycle(value))
      throw invalid(`${path} contains itself, which JSON cannot.`, path)
    throw error
  }
}

/** A checked copy, for what is needed again after something was awaited: the caller may change its own meanwhile. */
export function copyJson<Value extends object>(value: Value, bounds: JsonBounds, path: string): Value {
  // A copy has the type of what was copied.
  return encodeAndCopy(value, bounds, path).copy as unknown as Value
}

/** Like `encodeJson`, for values that must be objects, such as metadata. */
export function encodeJsonObject(value: unknown, bounds: JsonBounds, path: string): string {
  if (!isPlainObject(value)) throw invalid(`${path} must be a plain object.`, path)
  return encodeJson(value, bounds, path)
}

/** Whether two values are the same JSON; the order of keys does not count. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (Array.isArray(left))
    return Array.isArray(right) && left.length === right.length && left.every((item, at) => sameJson(item, right[at]))
  if (!isPlainObject(left) || !isPlainObject(right)) return false
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // An object of another realm has a different Object.prototype, which is still a root.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Strings are shared, so this is cheaper than parsing. `room` is how many more levels may open; `limit` is only named. */
function copyOf(value: unknown, room: number, limit: number, path: string): JsonValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (!Number.isFinite(value)) throw invalid(`${path} holds a number that is not finite.`, path)
      // JSON knows no -0.
      return value + 0
    case 'object': {
      if (value === null) return null
      if (room === 0) throw tooLarge(`The nesting of ${path}`, limit, 'levels')
      return Array.isArray(value)
        ? copyOfArray(value, room - 1, limit, path)
        : copyOfObject(value, room - 1, limit, path)
    }
    default:
      throw invalid(`${path} holds a ${typeof value}, which JSON cannot.`, path)
  }
}

function copyOfArray(value: readonly unknown[], room: number, limit: number, path: string): JsonValue {
  const copy: JsonValue[] = new Array(value.length)
  for (let at = 0; at < value.length; at++) {
    const item = value[at]
    // JSON.stringify would turn it into null: a hole or an undefined item is a mistake, not data.
    if (item === undefined) throw invalid(`${path} holds an array with an undefined item.`, path)
    copy[at] = copyOf(item, room, limit, path)
  }
  return copy
}

function copyOfObject(value: object, room: number, limit: number, path: string): JsonValue {
  if (!isPlainObject(value)) throw invalid(`${path} holds an object that is not a plain one.`, path)
  const copy: Record<string, JsonValue> = {}
  for (const key of Object.keys(value)) {
    const item = value[key]
    if (item === undefined) continue
    const copied = copyOf(item, room, limit, path)
    // Assigning it would set the prototype.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: copied, enumerable: true, configurable: true, writable: true })
    else copy[key] = copied
  }
  return copy
}

/** Without recursion: what is looked at may be deeper than the stack. */
function hasCycle(root: unknown): boolean {
  const open = new Set<unknown>()
  const done = new Set<unknown>()
  const path = [{ value: root, rest: childrenOf(root) }]
  open.add(root)
  for (let level = path.at(-1); level !== undefined; level = path.at(-1)) {
    const child = level.rest.pop()
    if (child === undefined) {
      open.delete(level.value)
      done.add(level.value)
      path.pop()
    } else if (open.has(child)) return true
    else if (!done.has(child)) {
      open.add(child)
      path.push({ value: child, rest: childrenOf(child) })
    }
  }
  return false
}

function childrenOf(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).filter((item) => typeof item === 'object' && item !== null)
}
