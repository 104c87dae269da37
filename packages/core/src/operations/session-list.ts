import { fingerprintOf, readCursor, writeCursor } from '../cursor.js'
import { normalFolder, normalTag } from '../model/label.js'
import type { Page } from '../model/page.js'
import { isTextPart, type Part } from '../model/part.js'
import type { LastMessage, Session, SessionFilter, SessionListOptions } from '../model/session.js'
import type { SessionConditions } from '../ports/backend.js'
import type { StoredMessage, StoredSession } from '../ports/rows.js'
import { firstCodePoints, foldText } from '../text.js'
import type { Work } from '../work.js'
import { readBounded } from './bounded-page.js'
import { sessionOf, sessionSize } from './session-rows.js'
import { parseObject } from './stored-json.js'

const previewCodePoints = 200

export async function listSessions(work: Work, options: SessionListOptions): Promise<Page<Session>> {
  const { limit = work.pageLimit, cursor, order = 'newest', with: additions = [], signal: _, ...filter } = options
  const conditions = conditionsOf(filter)
  const fingerprint = fingerprintOf('sessions', work.scope, { order, conditions })
  const after = cursor === undefined ? undefined : placeOf(cursor, fingerprint)
  const { rows, more } = await readBounded<StoredSession>(work, limit, {
    read: (last, count) =>
      work.backend.sessions.list(work.scope, { conditions, order, after: last ?? after, limit: count }, work),
    keyOf: ({ id }) => id,
    sizeOf: sessionSize,
  })
  const last = rows.at(-1)
  const next = more && last ? writeCursor(fingerprint, [last.lastActivityAt, last.id]) : null
  return { items: additions.includes('lastMessage') ? await withLastMessage(work, rows) : rows.map(sessionOf), next }
}

export async function countSessions(work: Work, options: SessionFilter & { signal?: unknown }): Promise<number> {
  const { signal: _, ...filter } = options
  return work.backend.sessions.count(work.scope, conditionsOf(filter), work)
}

function placeOf(cursor: string, fingerprint: string) {
  const [lastActivityAt, id] = readCursor(cursor, fingerprint, ['number', 'string'])
  return { lastActivityAt: Number(lastActivityAt), id: String(id) }
}

function conditionsOf(filter: SessionFilter): SessionConditions {
  const { agent, kind, source, type, createdBy, parent, workingDirectory, root, externalRef, provenance } = filter
  const equals = {
    agent,
    kind,
    source,
    type,
    createdBy,
    lineageSession: parent,
    workingDirectory,
    root,
    externalRef,
    ...provenance,
  }
  const given: Partial<Record<keyof typeof equals, string>> = {}
  for (const [column, value] of Object.entries(equals))
    if (value !== undefined) given[column as keyof typeof equals] = value
  return {
    equals: given,
    archived: filter.archived === true ? 'only' : filter.archived === 'any' ? 'any' : 'no',
    ...(filter.status !== undefined && {
      statuses: typeof filter.status === 'string' ? [filter.status] : [...new Set(filter.status)].sort(),
    }),
    ...(filter.tag !== undefined && { tag: normalTag(filter.tag) }),
    ...(filter.participant !== undefined && { participant: filter.participant }),
    ...(filter.folder !== undefined && { folder: normalFolder(filter.folder) }),
    ...(filter.descendants === true && { descendants: true }),
    ...(filter.title !== undefined && { titleContains: foldText(filter.title) }),
    ...(filter.activeAfter !== undefined && { activeAfter: filter.activeAfter }),
    ...(filter.activeBefore !== undefined && { activeBefore: filter.activeBefore }),
    ...(filter.createdAfter !== undefined && { createdAfter: filter.createdAfter }),
    ...(filter.createdBefore !== undefined && { createdBefore: filter.createdBefore }),
  }
}

async function withLastMessage(work: Work, rows: readonly StoredSession[]): Promise<readonly Session[]> {
  const ids = rows.filter((row) => row.messageCount > 0).map((row) => row.id)
  const messages =
    ids.length === 0 ? new Map<string, StoredMessage>() : await work.backend.messages.last(work.scope, ids, work)
  return rows.map((row) => ({ ...sessionOf(row), lastMessage: lastMessageOf(messages.get(row.id)) }))
}

function lastMessageOf(row: StoredMessage | undefined): LastMessage | null {
  if (row === undefined) return null
  const text = row.payloads.map((payload) => parseObject<Part>(payload)).find(isTextPart)?.text ?? ''
  return { id: row.id, role: row.role, at: row.createdAt, preview: firstCodePoints(text, previewCodePoints) }
}
