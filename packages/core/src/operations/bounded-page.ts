import type { Work } from '../work.js'

/** As many as a usual page, so that one read is enough for it. */
const firstRows = 64

interface Reading<Row> {
  /** The rows after one that was read, or from the beginning, up to so many. */
  read(after: Row | undefined, limit: number): Promise<readonly Row[]>
  /** What no two rows of a page have in common. */
  keyOf(row: Row): string | number
  /** The characters of a row. */
  sizeOf(row: Row): number
}

/**
 * Rows of a list, until there are `limit` of them or they hold as many characters as a page may; at least one where there
 * is one, and whether there are more. Not all are asked for at once: how many more fit is told by those that are there.
 */
export async function readBounded<Row>(
  { limits: { pageCharacters } }: Work,
  limit: number,
  { read, keyOf, sizeOf }: Reading<Row>,
): Promise<{ readonly rows: readonly Row[]; readonly more: boolean }> {
  const rows: Row[] = []
  let keys: Set<string | number> | undefined
  let size = 0
  let last: Row | undefined
  for (;;) {
    const fitting =
      rows.length === 0 ? firstRows : Math.ceil(((pageCharacters - size) * rows.length) / Math.max(size, 1))
    const asked = Math.min(limit + 1 - rows.length, Math.max(fitting, 1))
    const found = await read(last, asked)
    for (const row of found) {
      if (keys?.has(keyOf(row))) continue
      if (rows.length === limit) return { rows, more: true }
      size += sizeOf(row)
      if (rows.length > 0 && size > pageCharacters) return { rows, more: true }
      rows.push(row)
      keys?.add(keyOf(row))
    }
    if (found.length < asked) return { rows, more: false }
    last = found.at(-1)
    // What changes between two reads may come again.
    keys ??= new Set(rows.map(keyOf))
  }
}
