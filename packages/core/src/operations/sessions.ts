import { z } from 'zod'
import { conflict, notFound } from '../errors.js'
import { copyJson, encodeJson } from '../json.js'
import { usageEntry } from '../model/event.js'
import { callOptions, count, idOf, signal, updateOptions } from '../model/primitives.js'
import {
  forkInput,
  type Session,
  type SessionInput,
  type SessionPatch,
  type SessionStatus,
  type StatusChange,
  type StatusEntry,
  sessionFilter,
  sessionInput,
  sessionListOptions,
  sessionPatch,
  statusChange,
  terminalStatuses,
} from '../model/session.js'
import { completeUsage } from '../model/usage.js'
import type { OperationsOf } from '../operation.js'
import type { IdentifiedSession } from '../ports/backend.js'
import type { Command } from '../ports/commands.js'
import type { SessionColumns, StoredEntry, StoredSession } from '../ports/rows.js'
import type { SessionRepository } from '../ports/sessions.js'
import type { Work } from '../work.js'
import { rootBranch } from './branch-rows.js'
import { decide } from './decide.js'
import { type Draft, write } from './draft.js'
import { creationOfEntry, journalEntry, listEntries } from './events.js'
import { forkSession } from './fork.js'
import { folderLabels, tagLabels } from './labels.js'
import { newestPage } from './reading.js'
import { countSessions, listSessions } from './session-list.js'
import { mergeMetadata, metadataBounds, sessionColumns, sessionOf, sessionRow } from './session-rows.js'
import { parseObject } from './stored-json.js'
import { sweep } from './sweep.js'

export const sessionOperations: OperationsOf<SessionRepository> = {
  create: {
    access: 'write',
    arguments: (limits) => ({ input: sessionInput(limits).optional(), options: callOptions.optional() }),
    run: (work, input) => write(work, createSession(work, input ?? {})),
  },
  get: {
    access: 'read',
    arguments: (limits) => ({ session: idOf('session', limits), options: callOptions.optional() }),
    run: async (work, session) => sessionOf(await storedSession(work, session)),
  },
  load: {
    access: 'read',
    arguments: (limits) => ({
      session: idOf('session', limits),
      options: z
        .strictObject({ limit: z.int().min(1).max(limits.pageRows).optional(), signal: signal.optional() })
        .optional(),
    }),
    run: async (work, session, options) => {
      const stored = await storedSession(work, session)
      return {
        session: sessionOf(stored),
        messages: await newestPage(work, session, stored.activeBranch, options?.limit),
      }
    },
  },
  update: {
    access: 'write',
    arguments: (limits) => ({
      session: idOf('session', limits),
      patch: sessionPatch(limits),
      options: updateOptions.optional(),
    }),
    run: (work, session, patch, options) => updateSession(work, session, patch, options?.ifVersion),
  },
  list: {
    access: 'read',
    arguments: (limits) => ({ options: sessionListOptions(limits).optional() }),
    run: (work, options) => listSessions(work, options ?? {}),
  },
  count: {
    access: 'read',
    arguments: (limits) => ({ filter: sessionFilter(limits).extend({ signal: signal.optional() }).optional() }),
    run: (work, filter) => countSessions(work, filter ?? {}),
  },
  touch: {
    access: 'write',
    arguments: (limits) => ({ session: idOf('session', limits), options: callOptions.optional() }),
    run: (work, session) => write(work, touchSession(work, session)),
  },
  archive: {
    access: 'write',
    arguments: (limits) => ({ session: idOf('session', limits), options: callOptions.optional() }),
    run: (work, session) =>
      patchSession(work, session, (row) => (row.archivedAt === null ? { archivedAt: work.now } : {})),
  },
  unarchive: {
    access: 'write',
    arguments: (limits) => ({ session: idOf('session', limits), options: callOptions.optional() }),
    run: (work, session) => patchSession(work, session, (row) => (row.archivedAt === null ? {} : { archivedAt: null })),
  },
  delete: {
    access: 'write',
    arguments: (limits) => ({ session: idOf('session', limits), options: callOptions.optional() }),
    run: async (work, session) => {
      await write(work, deleteSession(session))
      await sweep(work, work.scope)
    },
  },
  setStatus: {
    access: 'write',
    arguments: (limits) => ({
      session: idOf('session', limits),
      change: statusChange(limits),
      options: callOptions.optional(),
    }),
    run: (work, session, change) => changeStatus(work, session, change),
  },
  statusHistory: {
    access: 'read',
    arguments: (limits) => ({
      session: idOf('session', limits),
      options: z
        .strictObject({
          after: count.optional(),
          limit: z.int().min(1).max(limits.pageRows).optional(),
          signal: signal.optional(),
        })
        .optional(),
    }),
    run: async (work, session, options) => {
      await storedSession(work, session)
      const { after = 0, limit = work.limits.pageRows } = options ?? {}
      return (await listEntries(work, { session, after, type: 'status', limit })).map(statusEntryOf)
    },
  },
  fork: {
    access: 'write',
    arguments: (limits) => ({
      session: idOf('session', limits),
      input: forkInput(limits).optional(),
      options: callOptions.optional(),
    }),
    run: (work, session, input) => forkSession(work, session, input ?? {}),
  },
  addUsage: {
    access: 'write',
    arguments: (limits) => ({
      session: idOf('session', limits),
      usage: usageEntry(limits),
      options: callOptions.optional(),
    }),
    run: async (work, session, usage) => {
      await write(work, addUsage(work, session, usage))
    },
  },
}

export async function storedSession(work: Work, session: string): Promise<IdentifiedSession> {
  const row = await work.backend.sessions.get(work.scope, session, work)
  if (row === undefined) throw notFound('session', session)
  return row
}

export function createSession(work: Work, input: SessionInput): Draft<Session> {
  const id = input.id ?? work.mint('ses')
  const session = sessionRow(work, id, input)
  const { digest } = session
  const branch = rootBranch(work, null, 'root')
  const labels = [
    ...tagLabels(work, input.tags ?? []),
    ...folderLabels(work, input.folders ?? []),
    ...participantLabels(session.participantsJson),
  ]
  return {
    commands: [{ type: 'create-session', session, branch, labels, source: null }],
    creations: [creationOfSession(id, digest)],
    result: () => sessionOf({ ...session, activeBranch: branch.id, messageCount: 0 }),
    replay: async (later) => sessionOf(await storedSession(later, id)),
  }
}

export function creationOfSession(id: string, digest: string) {
  return {
    entity: 'session',
    id,
    stored: async (work: Work) => {
      const row = await work.backend.sessions.get(work.scope, id, work)
      if (row === undefined) return 'none'
      return row.digest === digest ? 'same' : 'other'
    },
  } as const
}

export function participantLabels(participantsJson: string) {
  const users = new Set(parseObject<{ userId: string }[]>(participantsJson).map(({ userId }) => userId))
  return [...users].map((value) => ({ kind: 'participant', value }) as const)
}

export function touchSession(work: Work, session: string): Draft<void> {
  return simple([{ type: 'touch-session', session, at: work.now }])
}

export function deleteSession(session: string): Draft<void> {
  return simple([{ type: 'delete-session', session }])
}

/** A draft that creates nothing and answers nothing. */
export function simple(commands: readonly Command[]): Draft<void> {
  return { commands, creations: [], result: () => undefined, replay: async () => undefined }
}

export function addUsage(work: Work, session: string, entry: z.input<ReturnType<typeof usageEntry>>): Draft<string> {
  const id = entry.id ?? work.mint('use')
  const usage = completeUsage(entry)
  const digest = work.digest(entry)
  const journal = journalEntry(work, session, { type: 'usage', id, digest, payload: usage })
  return {
    commands: [{ type: 'add-usage', session, usage }, journal],
    creations: [creationOfEntry('usage', session, id, digest)],
    result: () => id,
    replay: async () => id,
  }
}

async function updateSession(
  work: Work,
  session: string,
  patch: SessionPatch,
  ifVersion: number | undefined,
): Promise<Session> {
  const { titledBy } = patch
  const set = sessionColumns(work, patch)
  const metadata = patch.metadata && copyJson(patch.metadata, metadataBounds(work), 'patch.metadata')
  return patchSession(work, session, (row) => {
    if (ifVersion !== undefined && row.version !== ifVersion)
      throw conflict(`The session is at version ${row.version}.`, { entity: 'session', id: session })
    if (titledBy === 'agent' && row.titledBy === 'user')
      throw conflict('A user has titled the session; an agent does not change that.', {
        entity: 'session',
        id: session,
      })
    return metadata === undefined ? set : { ...set, metadataJson: mergeMetadata(work, row.metadataJson, metadata) }
  })
}

/** Sets what `choose` makes of the stored row, under the version that was read. Nothing to set is no change. */
async function patchSession(
  work: Work,
  session: string,
  choose: (row: StoredSession) => SessionColumns,
): Promise<Session> {
  return decide(work, `session ${session}`, ['version'], async () => {
    const row = await storedSession(work, session)
    const chosen = choose(row)
    if (Object.keys(chosen).length === 0) return { commands: [], result: () => sessionOf(row) }
    const set = { ...chosen, updatedAt: Math.max(work.now, row.updatedAt) }
    const commands: Command[] = [{ type: 'patch-session', session, set, version: row.version }]
    if (set.participantsJson !== undefined) {
      const values = participantLabels(set.participantsJson).map(({ value }) => value)
      commands.push({ type: 'change-labels', session, kind: 'participant', change: 'replace', values })
    }
    commands.push(journalEntry(work, session, { type: 'session', payload: { version: row.version + 1 } }))
    return { commands, result: () => sessionOf({ ...row, ...set, version: row.version + 1 }) }
  })
}

async function changeStatus(work: Work, session: string, change: StatusChange): Promise<Session> {
  const { to, override = false, reason = null } = change
  const expected: readonly SessionStatus[] = typeof change.from === 'string' ? [change.from] : [...change.from]
  const reasonJson = reason === null ? null : encodeJson(reason, metadataBounds(work), 'change.reason')
  const startedAt = to === 'running' ? work.now : null
  const endedAt = terminalStatuses.has(to) ? work.now : null
  return decide(work, `session ${session}`, ['status'], async () => {
    const row = await storedSession(work, session)
    const from = row.status
    if (!expected.includes(from))
      throw conflict(`The session is ${from}, which was not expected.`, { entity: 'session', id: session })
    if (terminalStatuses.has(from) && !override)
      throw conflict(`The session is ${from}; leaving that needs override.`, { entity: 'session', id: session })
    const payload = { from, to, reason, override }
    return {
      commands: [
        { type: 'set-status', session, from, to, reasonJson, startedAt, endedAt },
        journalEntry(work, session, { type: 'status', payload }),
      ],
      result: () =>
        sessionOf({ ...row, status: to, statusReasonJson: reasonJson, startedAt: row.startedAt ?? startedAt, endedAt }),
    }
  })
}

function statusEntryOf(entry: StoredEntry): StatusEntry {
  const change = parseObject<Omit<StatusEntry, 'seq' | 'at'>>(entry.payloadJson ?? '{}')
  return { seq: entry.seq, ...change, at: entry.at }
}
