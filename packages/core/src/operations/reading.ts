import { fingerprintOf, readCursor, writeCursor } from '../cursor.js'
import { invalid, notFound } from '../errors.js'
import type { IterateOptions, Message, MessageListOptions } from '../model/message.js'
import type { ThreadPage } from '../model/page.js'
import type { PathPage, PathRange } from '../ports/backend.js'
import type { StoredMessage } from '../ports/rows.js'
import type { Work } from '../work.js'
import { Family, shownMessage } from './family.js'
import { messageOf, sizeOfColumns } from './message-rows.js'

export async function listMessages(
  work: Work,
  session: string,
  options: MessageListOptions,
): Promise<ThreadPage<Message>> {
  const { before, after, around, limit = work.pageLimit } = options
  const anchors = [before, after, around].filter((anchor) => anchor !== undefined)
  if (anchors.length > 1) throw invalid('Give only one of before, after and around.', 'options')
  if (around !== undefined) return pageAround(work, session, around, options.branch, limit)
  const cursor = before ?? after
  if (cursor === undefined) return newestPage(work, session, options.branch ?? null, limit)
  const place = placeOf(work, session, cursor)
  if (options.branch !== undefined && options.branch !== place.branch)
    throw invalid('The cursor belongs to another branch.', 'options.branch')
  return before === undefined
    ? pageAfter(work, session, place.branch, place.position, limit)
    : pageBefore(work, session, place.branch, place.position, limit)
}

/** The end of a path, oldest first. */
export async function newestPage(work: Work, session: string, branch: string | null, limit = work.pageLimit) {
  const page = await readPath(work, { session, branch, after: 0, before: undefined, order: 'descending', limit })
  return threadPage(work, session, page, page.messages.toReversed())
}

async function pageBefore(work: Work, session: string, branch: string, position: number, limit: number) {
  const page = await readPath(work, { session, branch, after: 0, before: position, order: 'descending', limit })
  return threadPage(work, session, page, page.messages.toReversed(), position)
}

async function pageAfter(work: Work, session: string, branch: string, position: number, limit: number) {
  const page = await readPath(work, { session, branch, after: position, before: undefined, order: 'ascending', limit })
  return threadPage(work, session, page, page.messages, position + 1)
}

/** The message in the middle, with as many before it as after it; near an end, more of the other side. */
async function pageAround(work: Work, session: string, message: string, branch: string | undefined, limit: number) {
  const family = await Family.of(work, session)
  const chosen = branch === undefined ? undefined : family.ownBranch(branch)
  const centre = await shownMessage(work, family, message, chosen)
  // Preferably on the path the user is on; a message that only another branch shows is shown on that one.
  const path = chosen ?? [family.active, ...family.own].find((own) => family.onPath(own, centre)) ?? family.active
  const first = Math.max(1, Math.min(centre.position - Math.floor((limit - 1) / 2), path.head - limit + 1))
  const before = first + limit
  const older = {
    session,
    branch: path.id,
    after: first - 1,
    before: centre.position + 1,
    order: 'descending',
    limit,
  } as const
  const left = await readPath(work, older)
  const newer = { session, branch: path.id, after: centre.position, before, order: 'ascending', limit } as const
  const size = left.messages.reduce((sum, message) => sum + sizeOf(message), 0)
  const room = limit - left.messages.length
  const full = room === 0 || size >= work.limits.pageCharacters
  const right = full
    ? []
    : (await readPath(work, { ...newer, limit: room }, work.limits.pageCharacters - size)).messages
  return threadPage(work, session, left, [...left.messages.toReversed(), ...right])
}

function sizeOf(message: StoredMessage): number {
  return message.payloads.reduce((sum, payload) => sum + payload.length, sizeOfColumns(message))
}

/** A page of a path. The first page decides the branch; later ones stay on it. */
async function readPath(
  work: Work,
  range: Omit<PathRange, 'size'>,
  size = work.limits.pageCharacters,
): Promise<PathPage> {
  const page = await work.backend.messages.page(work.scope, { ...range, size }, work)
  if (page !== undefined) return page
  if (range.branch === null || (await work.backend.sessions.get(work.scope, range.session, work)) === undefined)
    throw notFound('session', range.session)
  throw notFound('branch', range.branch)
}

/** `at` is where the page would stand if it holds nothing. */
function threadPage(
  work: Work,
  session: string,
  page: PathPage,
  rows: readonly StoredMessage[],
  at?: number,
): ThreadPage<Message> {
  const items = rows.map(messageOf)
  const first = items[0]?.position ?? at ?? 1
  const last = items.at(-1)?.position ?? first - 1
  const cursorAt = (position: number) => writeCursor(threadFingerprint(work, session), [page.branch, position])
  return {
    items,
    before: first > 1 ? cursorAt(first) : null,
    after: last < page.head ? cursorAt(last) : null,
  }
}

function threadFingerprint(work: Work, session: string): string {
  return fingerprintOf('messages', work.scope, { session })
}

function placeOf(work: Work, session: string, cursor: string) {
  const [branch, position] = readCursor(cursor, threadFingerprint(work, session), ['string', 'number'])
  return { branch: String(branch), position: Number(position) }
}

/** Where an iteration stands: the branches still to read, and how far the first of them is read. */
export interface Iteration {
  readonly branches: readonly string[]
  readonly position: number
}

export interface IterationStep {
  readonly items: readonly Message[]
  readonly next: Iteration | undefined
}

/**
 * Small enough that no reader keeps a database in the process from anything else for long; from one that is elsewhere,
 * every step is a journey.
 */
function stepRows({ backend, limits }: Work): number {
  return Math.min(backend.capabilities.sharing === 'network' ? 1000 : 200, limits.pageRows)
}

/** The next messages of a thread. */
export async function iterationStep(
  work: Work,
  session: string,
  options: IterateOptions,
  at: Iteration | undefined,
): Promise<IterationStep> {
  if (options.branches === 'all') return ownStep(work, session, at)
  const branch = at?.branches[0] ?? options.branch ?? null
  const position = at?.position ?? 0
  const page = await readPath(work, {
    session,
    branch,
    after: position,
    before: undefined,
    order: 'ascending',
    limit: stepRows(work),
  })
  const last = page.messages.at(-1)?.position ?? page.head
  return {
    items: page.messages.map(messageOf),
    next: last < page.head ? { branches: [page.branch], position: last } : undefined,
  }
}

/** Every message the session owns, branch by branch: each branch's own positions only. */
async function ownStep(work: Work, session: string, at: Iteration | undefined): Promise<IterationStep> {
  const family = await Family.of(work, session)
  const branches = at?.branches ?? family.own.map(({ id }) => id)
  const [first, ...rest] = branches
  if (first === undefined) return { items: [], next: undefined }
  const branch = family.ownBranch(first)
  const after = at?.position ?? branch.base
  const page = await readPath(work, {
    session,
    branch: first,
    after,
    before: undefined,
    order: 'ascending',
    limit: stepRows(work),
  })
  const last = page.messages.at(-1)?.position ?? page.head
  if (last < page.head) return { items: page.messages.map(messageOf), next: { branches, position: last } }
  const following = rest[0] === undefined ? undefined : { branches: rest, position: family.ownBranch(rest[0]).base }
  return { items: page.messages.map(messageOf), next: following }
}
