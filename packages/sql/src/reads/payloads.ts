import type { SqlRow, SqlValue } from '../executor.js'

/**
 * The payloads of many messages, by what stands for the message in rows of (message, index, chunk, payload). Of each
 * message they come in the order of index and chunk.
 */
export function payloadsBy(rows: Iterable<SqlRow>): ReadonlyMap<SqlValue | undefined, readonly string[]> {
  const found = new Map<SqlValue | undefined, string[]>()
  for (const [message, , chunk, payload] of rows) {
    const text = String(payload)
    const payloads = found.get(message)
    if (payloads === undefined) found.set(message, [text])
    else if (chunk === 0) payloads.push(text)
    else payloads[payloads.length - 1] += text
  }
  return found
}
