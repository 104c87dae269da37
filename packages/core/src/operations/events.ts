import type { Entity } from '../errors.js'
import { notFound } from '../errors.js'
import { encodeJson } from '../json.js'
import { type Event, type EventInput, eventInput, eventListOptions } from '../model/event.js'
import { callOptions, columnText, idOf } from '../model/primitives.js'
import type { OperationsOf } from '../operation.js'
import type { JournalQuery } from '../ports/backend.js'
import type { WriteJournal } from '../ports/commands.js'
import type { EventRepository } from '../ports/events.js'
import type { StoredEntry } from '../ports/rows.js'
import type { Work } from '../work.js'
import { readBounded } from './bounded-page.js'
import { type Creation, type Draft, write } from './draft.js'
import { Family, shownMessage } from './family.js'
import { storedSession } from './sessions.js'
import { parseOrNull } from './stored-json.js'

export const eventOperations: OperationsOf<EventRepository> = {
  add: {
    access: 'write',
    arguments: (limits) => ({
      session: idOf('session', limits),
      event: eventInput(limits),
      options: callOptions.optional(),
    }),
    run: async (work, session, event) => {
      const draft = addEvent(work, session, event)
      // An event may only be about a message that the session shows.
      if (event.message !== undefined) await shownMessage(work, await Family.of(work, session), event.message)
      return write(work, draft)
    },
  },
  list: {
    access: 'read',
    arguments: (limits) => ({ session: idOf('session', limits), options: eventListOptions(limits).optional() }),
    run: async (work, session, { after = 0, type, limit = work.pageLimit } = {}) => {
      const entries = await listEntries(work, { session, after, type, limit })
      if (entries.length === 0) await storedSession(work, session)
      return entries.map(eventOf)
    },
  },
  latest: {
    access: 'read',
    arguments: (limits) => ({
      session: idOf('session', limits),
      type: columnText(limits.titleBytes),
      options: callOptions.optional(),
    }),
    run: async (work, session, type) => {
      const entry = await work.backend.journal.latest(work.scope, session, type, work)
      if (entry === undefined) await storedSession(work, session)
      return entry ? eventOf(entry) : null
    },
  },
}

/** A page of a session's journal. */
export async function listEntries(work: Work, query: JournalQuery): Promise<readonly StoredEntry[]> {
  const { rows } = await readBounded<StoredEntry>(work, query.limit, {
    read: (last, limit) =>
      work.backend.journal.list(work.scope, { ...query, after: last?.seq ?? query.after, limit }, work),
    keyOf: ({ seq }) => seq,
    sizeOf: ({ payloadJson }) => payloadJson?.length ?? 0,
  })
  return rows
}

export function addEvent(work: Work, session: string, input: EventInput): Draft<Event> {
  const id = input.id ?? work.mint('evt')
  const encoded = journalEntry(work, session, { ...input, payload: input.payload ?? null, id })
  const digest = work.digest(input)
  const command = { ...encoded, entry: { ...encoded.entry, digest } }
  return {
    commands: [command],
    creations: [creationOfEntry('event', session, id, digest)],
    result: ([receipt]) => eventOf({ ...command.entry, seq: receipt?.seq ?? 0 }),
    replay: async (later) => {
      const found = await later.backend.journal.get(later.scope, id, later)
      if (found === undefined) throw notFound('event', id)
      return eventOf(found.entry)
    },
  }
}

interface Entry {
  readonly type: string
  readonly id?: string
  readonly digest?: string
  readonly payload?: unknown
  readonly message?: string | undefined
  readonly user?: string | undefined
}

export function journalEntry(work: Work, session: string, entry: Entry): WriteJournal {
  const bounds = { depth: work.limits.jsonDepth, bytes: work.limits.partBytes }
  return {
    type: 'write-journal',
    session,
    entry: {
      id: entry.id ?? null,
      digest: entry.digest ?? null,
      type: entry.type,
      payloadJson: entry.payload === undefined ? null : encodeJson(entry.payload, bounds, 'event.payload'),
      message: entry.message ?? null,
      user: entry.user ?? null,
      at: work.now,
    },
  }
}

export function creationOfEntry(entity: Entity, session: string, id: string, digest: string): Creation {
  return {
    entity,
    id,
    stored: async (work) => {
      const found = await work.backend.journal.get(work.scope, id, work)
      if (found === undefined) return 'none'
      return found.session === session && found.entry.digest === digest ? 'same' : 'other'
    },
  }
}

function eventOf(entry: StoredEntry): Event {
  return {
    id: entry.id,
    seq: entry.seq,
    type: entry.type,
    payload: parseOrNull(entry.payloadJson),
    message: entry.message,
    user: entry.user,
    at: entry.at,
  }
}
