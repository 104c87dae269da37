import type { Call, PathPage, PathRange, StoredMessage } from '@holdfast/core'
import { type Home, messageColumns, messageFrom } from '../codec/messages.js'
import { bind, type Compiler } from '../compile.js'
import type { SqlExecutor, SqlRow } from '../executor.js'
import { pathStatements, type Reach, type Stretch } from './path.js'
import { payloadsBy } from './payloads.js'

const unbounded = Number.MAX_SAFE_INTEGER
const positionColumn = messageColumns.indexOf('position')
const sizeColumn = messageColumns.indexOf('size')
const goesOnColumn = 5

export type ReadPage = (scope: string, range: PathRange, call: Call) => Promise<PathPage | undefined>

/** Reads a page of a path: two range scans, for messages and for parts, put together here. */
export function pageOfPath(executor: SqlExecutor, compiler: Compiler): ReadPage {
  const statements = {
    own: { active: pathStatements(compiler, 'active', 'own'), named: pathStatements(compiler, 'named', 'own') },
    whole: { active: pathStatements(compiler, 'active', 'whole'), named: pathStatements(compiler, 'named', 'whole') },
  }

  /** Most pages lie in one branch, and finding that out by reading them costs less than walking up every time. */
  async function read(stretch: Stretch, call: Call) {
    const own = await readWithin('own', stretch, call)
    return own.path.some((segment) => segment[goesOnColumn] === 1) ? readWithin('whole', stretch, call) : own
  }

  async function readWithin(reach: Reach, stretch: Stretch, call: Call) {
    const { segments, messages, payloads } = statements[reach][stretch.branch === null ? 'active' : 'named']
    const queries = [bind(segments, stretch), bind(messages, stretch), bind(payloads, stretch)]
    const [path = [], rows = [], parts = []] = await executor.read(queries, call)
    return { path, rows: inOrder(rows, byPosition), parts }
  }

  return async (scope, range, call) => {
    const { session, branch, after, order, limit, size } = range
    const end = (range.before ?? unbounded) - 1
    const high = order === 'ascending' ? Math.min(after + limit, end) : end
    const stretch = { scope, session, branch, low: after, high, limit, size }
    let found = await read(stretch, call)
    const kept = within(size, found.rows, order)
    if (kept !== undefined) found = await read({ ...stretch, ...kept, size: unbounded }, call)
    return pageFrom(found.path, found.rows, found.parts, order)
  }
}

/** Mostly they come as they lie in the table, which is in order; only a page across branches may need to be sorted. */
function inOrder(rows: readonly SqlRow[], compare: (left: SqlRow, right: SqlRow) => number): readonly SqlRow[] {
  for (let at = 1; at < rows.length; at++) {
    // Both indexes are below the length.
    if (compare(rows[at - 1] as SqlRow, rows[at] as SqlRow) > 0) return [...rows].sort(compare)
  }
  return rows
}

function byPosition(left: SqlRow, right: SqlRow): number {
  return positionOf(left) - positionOf(right)
}

function positionOf(row: SqlRow): number {
  return Number(row[positionColumn])
}

/**
 * The bounds of the messages that stay within a size, from where the page begins and at least one; undefined when all of
 * them do. When they do not, no payloads were read yet.
 */
function within(
  size: number,
  rows: readonly SqlRow[],
  order: PathRange['order'],
): Pick<Stretch, 'low' | 'high'> | undefined {
  const asked = order === 'ascending' ? rows : rows.toReversed()
  let total = 0
  let last = 0
  for (const [at, row] of asked.entries()) {
    total += Number(row[sizeColumn])
    if (at === 0 || total <= size) last = positionOf(row)
  }
  const first = asked[0]
  if (first === undefined || total <= size) return undefined
  const bounds = [positionOf(first), last]
  return { low: Math.min(...bounds) - 1, high: Math.max(...bounds) }
}

function pageFrom(
  path: readonly SqlRow[],
  rows: readonly SqlRow[],
  parts: readonly SqlRow[],
  order: PathRange['order'],
): PathPage | undefined {
  const homes = new Map<unknown, Home>()
  let page: Pick<PathPage, 'branch' | 'head'> | undefined
  for (const [key, depth, id, session, head] of path) {
    const branch = String(id)
    homes.set(key, { branch, session: String(session) })
    if (depth === 0) page = { branch, head: Number(head) }
  }
  if (page === undefined) return undefined
  const payloads = payloadsBy(inOrder(parts, byPlace))
  const messages: StoredMessage[] = []
  for (const row of rows) {
    const home = homes.get(row[0])
    if (home !== undefined) messages.push(messageFrom(row, home, payloads.get(positionOf(row)) ?? []))
  }
  return { ...page, messages: order === 'ascending' ? messages : messages.reverse() }
}

/** By position, index and chunk. */
function byPlace(left: SqlRow, right: SqlRow): number {
  for (let at = 0; at < 3; at++) {
    const difference = Number(left[at]) - Number(right[at])
    if (difference !== 0) return difference
  }
  return 0
}
