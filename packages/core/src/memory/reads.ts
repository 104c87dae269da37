import type {
  BranchReads,
  JournalReads,
  LabelReads,
  MessageReads,
  PathRange,
  SessionConditions,
  SessionReads,
} from '../ports/backend.js'
import type { StoredBranch, StoredMessage, StoredSession } from '../ports/rows.js'
import { compareUtf8 } from '../text.js'
import {
  type BranchRecord,
  headOf,
  isShown,
  type MemoryData,
  MemoryScope,
  type MessageRecord,
  messageOnPath,
  type SessionRecord,
} from './records.js'

const nothing = new MemoryScope()

export function memoryReads(data: MemoryData) {
  const scopeOf = (scope: string) => data.scopes.get(scope) ?? nothing
  const found = (scope: string, conditions: SessionConditions) =>
    [...scopeOf(scope).sessions.values()].filter((session) => meets(session, conditions))

  const sessions: SessionReads = {
    get: async (scope, id) => {
      const session = scopeOf(scope).sessions.get(id)
      return session && { ...storedSession(session), digest: session.row.digest }
    },
    list: async (scope, { conditions, order, after, limit }) => {
      const sign = order === 'newest' ? -1 : 1
      const rows = found(scope, conditions).map(storedSession)
      const ordered = rows.sort((left, right) => sign * comparePlaces(left, right))
      const rest = after === undefined ? ordered : ordered.filter((row) => sign * comparePlaces(row, after) > 0)
      return rest.slice(0, limit)
    },
    count: async (scope, conditions) => found(scope, conditions).length,
  }

  const branches: BranchReads = {
    get: async (scope, id) => {
      const branch = scopeOf(scope).branches.get(id)
      return branch && !branch.session.gone ? storedBranch(branch) : undefined
    },
    family: async (scope, id) => {
      const own = scopeOf(scope).sessions.get(id)?.branches ?? []
      const all = new Set(own)
      // A set grows while it is walked, so ancestors of ancestors come too.
      for (const branch of all) if (branch.parent) all.add(branch.parent)
      return [...all].map(storedBranch)
    },
  }

  const messages: MessageReads = {
    get: async (scope, id) => {
      const message = shown(scopeOf(scope), id)
      return (
        message && {
          message: storedMessage(message),
          digest: message.row.digest,
          size: message.row.size,
          revision: message.revision,
          gone: message.branch.session.gone,
        }
      )
    },
    parts: async (scope, id) => shown(scopeOf(scope), id)?.parts,
    page: async (scope, range) => {
      const session = scopeOf(scope).sessions.get(range.session)
      const branch =
        range.branch === null ? session?.active : session?.branches.find(({ row }) => row.id === range.branch)
      return branch && { branch: branch.row.id, head: headOf(branch), messages: pageOf(branch, range) }
    },
    last: async (scope, ids) => {
      const last = new Map<string, StoredMessage>()
      for (const id of ids) {
        const active = scopeOf(scope).sessions.get(id)?.active
        const message = active && messageOnPath(active, headOf(active))
        if (message) last.set(id, storedMessage(message))
      }
      return last
    },
    calls: async (scope, toolCallId) =>
      [...scopeOf(scope).messages.values()]
        .filter(isShown)
        .flatMap(({ row, branch, position, parts }) =>
          parts
            .filter((part) => part.toolCallId === toolCallId)
            .map(({ index }) => ({ message: row.id, branch: branch.row.id, position, index })),
        ),
  }

  const labels: LabelReads = {
    of: async (scope, id, kind) => [...(scopeOf(scope).sessions.get(id)?.labels[kind] ?? [])].sort(compareUtf8),
    count: async (scope, kind, after, limit) => {
      const counts = new Map<string, number>()
      for (const { labels: own, row } of scopeOf(scope).sessions.values())
        if (row.archivedAt === null) for (const value of own[kind]) counts.set(value, (counts.get(value) ?? 0) + 1)
      return [...counts]
        .map(([value, count]) => ({ value, sessions: count }))
        .filter(({ value }) => after === undefined || compareUtf8(value, after) > 0)
        .sort((left, right) => compareUtf8(left.value, right.value))
        .slice(0, limit)
    },
  }

  const journal: JournalReads = {
    list: async (scope, { session, after, type, limit }) =>
      (scopeOf(scope).sessions.get(session)?.journal ?? [])
        .filter((entry) => entry.seq > after && (type === undefined || entry.type === type))
        .slice(0, limit),
    latest: async (scope, session, type) =>
      scopeOf(scope)
        .sessions.get(session)
        ?.journal.findLast((entry) => entry.type === type),
    get: async (scope, id) => {
      const record = scopeOf(scope).entries.get(id)
      return record && { session: record.session.row.id, entry: record.entry }
    },
  }

  return { sessions, branches, messages, labels, journal }
}

type Place = Pick<StoredSession, 'lastActivityAt' | 'id'>

function comparePlaces(left: Place, right: Place): number {
  return left.lastActivityAt - right.lastActivityAt || compareUtf8(left.id, right.id)
}

function meets({ row, labels }: SessionRecord, conditions: SessionConditions): boolean {
  const { folder, descendants, titleContains, activeAfter, activeBefore, createdAfter, createdBefore } = conditions
  if (conditions.archived !== 'any' && (row.archivedAt !== null) !== (conditions.archived === 'only')) return false
  for (const [column, value] of Object.entries(conditions.equals))
    if (row[column as keyof typeof row] !== value) return false
  if (conditions.statuses && !conditions.statuses.includes(row.status)) return false
  if (conditions.tag !== undefined && !labels.tag.has(conditions.tag)) return false
  if (conditions.participant !== undefined && !labels.participant.has(conditions.participant)) return false
  if (folder !== undefined) {
    const below = descendants === true && [...labels.folder].some((own) => own.startsWith(`${folder}/`))
    if (!labels.folder.has(folder) && !below) return false
  }
  if (titleContains !== undefined && !row.titleFolded?.includes(titleContains)) return false
  if (activeAfter !== undefined && row.lastActivityAt <= activeAfter) return false
  if (activeBefore !== undefined && row.lastActivityAt >= activeBefore) return false
  if (createdAfter !== undefined && row.createdAt <= createdAfter) return false
  return createdBefore === undefined || row.createdAt < createdBefore
}

function shown(scope: MemoryScope, id: string): MessageRecord | undefined {
  const message = scope.messages.get(id)
  return message && isShown(message) ? message : undefined
}

function pageOf(branch: BranchRecord, range: PathRange): readonly StoredMessage[] {
  const first = range.after + 1
  const last = Math.min(headOf(branch), (range.before ?? Number.POSITIVE_INFINITY) - 1)
  const page: StoredMessage[] = []
  let size = 0
  for (let step = 0; step <= last - first && page.length < range.limit; step++) {
    const message = messageOnPath(branch, range.order === 'ascending' ? first + step : last - step)
    if (message === undefined) break
    size += message.row.size
    if (page.length > 0 && size > range.size) break
    page.push(storedMessage(message))
  }
  return page
}

function storedSession({ row, active }: SessionRecord): StoredSession {
  return { ...row, activeBranch: active.row.id, messageCount: headOf(active) }
}

function storedBranch(branch: BranchRecord): StoredBranch {
  const { row, session, parent, base } = branch
  const { at: _, ...kept } = row
  const active = session.active === branch
  return {
    ...kept,
    parent: parent?.row.id ?? null,
    base,
    session: session.row.id,
    gone: session.gone,
    active,
    head: headOf(branch),
  }
}

function storedMessage({ row, branch, position, parts }: MessageRecord): StoredMessage {
  const payloads = parts.map((part) => part.payloadJson)
  return { ...row, session: branch.session.row.id, branch: branch.row.id, position, payloads }
}
