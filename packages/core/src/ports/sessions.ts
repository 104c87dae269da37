import type { UsageEntry } from '../model/event.js'
import type { Message } from '../model/message.js'
import type { Page, ThreadPage } from '../model/page.js'
import type { CallOptions, UpdateOptions } from '../model/primitives.js'
import type {
  ForkInput,
  Session,
  SessionFilter,
  SessionInput,
  SessionListOptions,
  SessionPatch,
  StatusChange,
  StatusEntry,
} from '../model/session.js'

/** Conversations of one scope. */
export interface SessionRepository {
  /**
   * Creates a session with an empty active branch.
   *
   * With an id that exists: the same input returns the stored session, any other is `conflict`. An `externalRef` is
   * unique per source.
   */
  create(input?: SessionInput, options?: CallOptions): Promise<Session>

  /** Must answer `not_found` for an id that is not there, deleted, or of another scope; never null. */
  get(session: string, options?: CallOptions): Promise<Session>

  /** The session together with its newest page of messages. */
  load(
    session: string,
    options?: LoadOptions,
  ): Promise<{ readonly session: Session; readonly messages: ThreadPage<Message> }>

  /**
   * Changes the session's own fields and raises its version. `undefined` keeps, `null` clears, `metadata` merges at the
   * top level. With `ifVersion`, `conflict` when the session has moved on. An agent's title (`titledBy: 'agent'`) is
   * `conflict` when a user has titled the session.
   */
  update(session: string, patch: SessionPatch, options?: UpdateOptions): Promise<Session>

  /**
   * By last activity, newest first, without the archived ones unless asked; ties by id in the order of its bytes. A page
   * of large sessions ends before its limit; `next` says whether there are more.
   */
  list(options?: SessionListOptions): Promise<Page<Session>>

  count(filter?: SessionFilter & CallOptions): Promise<number>

  /** Moves `lastActivityAt` to now; never back. */
  touch(session: string, options?: CallOptions): Promise<void>

  /** Hides the session from lists. Reversible; nothing else changes. Archiving twice is no error. */
  archive(session: string, options?: CallOptions): Promise<Session>
  unarchive(session: string, options?: CallOptions): Promise<Session>

  /**
   * Deletes the session: gone from every read at once, its id free again. Messages that a fork still shows stay readable
   * there and go with the last one that shows them.
   */
  delete(session: string, options?: CallOptions): Promise<void>

  /**
   * Changes the lifecycle status. `conflict` when the session is in none of the statuses expected. Leaving a terminal
   * status needs `override`.
   */
  setStatus(session: string, change: StatusChange, options?: CallOptions): Promise<Session>

  /** The changes of status, oldest first. Continue with the seq of the last one, until none come. */
  statusHistory(session: string, options?: HistoryOptions): Promise<readonly StatusEntry[]>

  /**
   * A new session that shows this one's messages up to `at`. Nothing is copied but what describes the session, its tags
   * and its folders; it has no external reference, usage, archive date or status of its own yet.
   */
  fork(session: string, input?: ForkInput, options?: CallOptions): Promise<Session>

  /** Adds to what the session spent. With an id, a repeated call counts once. */
  addUsage(session: string, usage: UsageEntry, options?: CallOptions): Promise<void>
}

export interface LoadOptions extends CallOptions {
  limit?: number | undefined
}

export interface HistoryOptions extends CallOptions {
  after?: number | undefined
  limit?: number | undefined
}
