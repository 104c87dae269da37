import { type Entity, type ErrorDetails, HoldfastError, isHoldfastError } from '../errors.js'

/** Reads JSON that the store wrote itself, so that its type is known. What cannot be read is damaged storage. */
export function parse<Value>(text: string): Value {
  try {
    return JSON.parse(text) as Value
  } catch {
    // The parser's own error quotes what it read.
    throw damaged()
  }
}

export function parseOrNull<Value>(text: string | null): Value | null {
  return text === null ? null : parse<Value>(text)
}

/** Reads an object or an array: anything else that JSON can hold is damage too. */
export function parseObject<Value extends object>(text: string): Value {
  const value = parse<Value | string | number | boolean | null>(text)
  if (typeof value !== 'object' || value === null) throw damaged()
  return value
}

export function parseObjectOrNull<Value extends object>(text: string | null): Value | null {
  return text === null ? null : parseObject<Value>(text)
}

/** What was thrown while a row was read; damage is told with the name of the row. */
export function naming(error: unknown, entity: Entity, id: string): unknown {
  return isHoldfastError(error, 'corrupt') ? damaged({ entity, id }) : error
}

function damaged(details: ErrorDetails = {}): HoldfastError {
  return new HoldfastError('corrupt', 'What is stored is damaged: it is no JSON any more. Restore a backup.', details)
}
