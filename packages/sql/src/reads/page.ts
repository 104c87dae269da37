import type { Call, PathPage, PathRange, StoredMessage } from '@holdfast/core'
import { type Home, messageColumns, messageFrom } from '../codec/messages.js'
import { bind, type Compiler } from '../compile.js'
import type { About, Found, SqlExecutor, SqlRow } from '../executor.js'
import { type Bounds, type PathStatements, pathStatements, type Stretch } from './path.js'

const unbounded = Number.MAX_SAFE_INTEGER
const positionColumn = messageColumns.indexOf('position')
const goesOnColumn = 6

const inFirst = (column: number): Found => ({ step: 0, column, plus: 0 })
/** The columns of the segments, which are always asked for first. */
const bounds: Bounds = { foundLow: inFirst(4), foundHigh: inFirst(5), foundScope: inFirst(7), foundKey: inFirst(8) }

export type ReadPage = (scope: string, range: PathRange, call: Call) => Promise<PathPage | undefined>

interface FoundPage {
  readonly path: readonly SqlRow[]
  readonly rows: readonly SqlRow[]
  readonly parts: readonly SqlRow[]
  /** The statements that found it. */
  readonly by: PathStatements
}

/** Reads a page of a path: two range scans, for messages and for parts, put together here. */
export function pageOfPath(executor: SqlExecutor, compiler: Compiler): ReadPage {
  const own = { active: pathStatements(compiler, 'active', 'own'), named: pathStatements(compiler, 'named', 'own') }
  const whole = {
    active: pathStatements(compiler, 'active', 'whole'),
    named: pathStatements(compiler, 'named', 'whole'),
  }

  /** Most pages lie in one branch, and finding that out by reading them costs less than walking up every time. */
  async function read(stretch: Stretch, about: About, call: Call): Promise<FoundPage> {
    const which = stretch.branch === null ? 'active' : 'named'
    const found = await readBy(own[which], stretch, about, call)
    if (!found.path.some((segment) => segment[goesOnColumn] === 1)) return found
    const { path, rows, parts, by } = await readBy(whole[which], stretch, about, call)
    return { path, by, rows: [...rows].sort(byPosition), parts: [...parts].sort(byPlace) }
  }

  async function readBy(by: PathStatements, stretch: Stretch, about: About, call: Call): Promise<FoundPage> {
    const queries = [bind(by.segments, stretch), bind(by.messages, stretch), bind(by.payloads, stretch)]
    const [path = [], rows = [], parts = []] = await executor.read(queries, about, call)
    return { path, rows, parts, by }
  }

  return async (scope, range, call) => {
    const { session, branch, after, order, limit, size } = range
    const end = (range.before ?? unbounded) - 1
    const high = order === 'ascending' ? Math.min(after + limit, end) : end
    const stretch = { scope, session, branch, low: after, high, limit, size, ...bounds }
    const about = { scope }
    let found = await read(stretch, about, call)
    // No payloads come when they are too large together, and none when there are none.
    if (found.parts.length === 0 && found.rows.length > 0) {
      const queries = [bind(found.by.segments, stretch), bind(found.by.sizes, stretch)]
      const [, sizes = []] = await executor.read(queries, about, call)
      const kept = within(size, [...sizes].sort(byFirst), order)
      if (kept !== undefined) found = await read({ ...stretch, ...kept, size: unbounded }, about, call)
    }
    return pageFrom(found, order)
  }
}

function byPosition(left: SqlRow, right: SqlRow): number {
  return Number(left[positionColumn]) - Number(right[positionColumn])
}

function byFirst(left: SqlRow, right: SqlRow): number {
  return Number(left[0]) - Number(right[0])
}

/** By position, index and chunk. */
function byPlace(left: SqlRow, right: SqlRow): number {
  for (const column of [0, 3, 1]) {
    const difference = Number(left[column]) - Number(right[column])
    if (difference !== 0) return difference
  }
  return 0
}

/**
 * The bounds of the messages that stay within a size, from where the page begins and at least one; undefined when all of
 * them do. The rows are (position, size).
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
    total += Number(row[1])
    if (at === 0 || total <= size) last = Number(row[0])
  }
  const first = asked[0]
  if (first === undefined || total <= size) return undefined
  const bounds = [Number(first[0]), last]
  return { low: Math.min(...bounds) - 1, high: Math.max(...bounds) }
}

interface Segment extends Home {
  readonly low: number
  readonly high: number
}

function pageFrom({ path, rows, parts }: FoundPage, order: PathRange['order']): PathPage | undefined {
  const segments: Segment[] = []
  let page: Pick<PathPage, 'branch' | 'head'> | undefined
  for (const [depth, id, session, head, low, high] of path) {
    const branch = String(id)
    segments.push({ branch, session: String(session), low: Number(low), high: Number(high) })
    if (depth === 0) page = { branch, head: Number(head) }
  }
  if (page === undefined) return undefined
  const messages: StoredMessage[] = []
  let home: Segment | undefined
  let part = 0
  for (const row of rows) {
    const position = Number(row[positionColumn])
    if (home === undefined || !holds(home, position)) home = segments.find((segment) => holds(segment, position))
    const payloads: string[] = []
    // Both come in the order of their positions.
    for (let next = parts[part]; next !== undefined && next[0] === position; next = parts[++part])
      addChunk(payloads, next)
    if (home !== undefined) messages.push(messageFrom(row, home, payloads))
  }
  return { ...page, messages: order === 'ascending' ? messages : messages.reverse() }
}

function holds({ low, high }: Segment, position: number): boolean {
  return position > low && position <= high
}

function addChunk(payloads: string[], row: SqlRow): void {
  // A payload is never null.
  const text = row[2] as string
  if (row[1] === 0) payloads.push(text)
  else payloads[payloads.length - 1] += text
}
