import type { BackendCapabilities } from '../capabilities.js'
import type { Sha256 } from '../digest.js'
import type { ErrorCode } from '../errors.js'
import type { Command, CommitResult } from './commands.js'
import type { LabelKind, PartRow, StoredBranch, StoredEntry, StoredMessage, StoredSession } from './rows.js'

/**
 * What a storage engine owes. Everything else (validation, ids and times, digests, replays, patches, settlement, status
 * rules, paths and pages, errors, closing) is done once in core above it.
 *
 * What an implementer is promised: arguments are valid, scopes and ids are well-formed texts within the limits, no method
 * is called after `close`, and `close` is called once.
 *
 * What an implementer must do:
 * - keep scopes apart: nothing of one scope is ever read or written through another, and the same id may exist in both;
 * - answer `undefined` or an empty list for what is not there, and throw for every failure: an error is never "nothing";
 * - compare and order texts by their UTF-8 bytes;
 * - never write in a read.
 */
export interface Backend {
  readonly capabilities: BackendCapabilities

  /**
   * Carries out all commands in order, or none. A later command sees what an earlier one did.
   *
   * Must be atomic and isolated: two commits that touch the same session have an order, and the second sees the first.
   * Must not return before the commit survives the death of the process. A refusal is a result, not an error, and leaves
   * nothing behind. A scope comes into being with its first session.
   */
  commit(scope: string, commands: readonly Command[], call: Call): Promise<CommitResult>

  readonly sessions: SessionReads
  readonly branches: BranchReads
  readonly messages: MessageReads
  readonly labels: LabelReads
  readonly journal: JournalReads
  readonly upkeep: Upkeep

  /**
   * Says what a failure means, or undefined when it is none of the engine's: that is a mistake in the program and is
   * thrown as it is. Must not throw. Core wraps the error; nobody else does.
   */
  classify(error: unknown): Classified | undefined

  /** The platform's SHA-256, where it has a faster one than plain JavaScript. */
  readonly sha256?: Sha256

  /** Waits for what is under way and lets go of what the backend itself opened. */
  close(): Promise<void>
}

/** One call of a user, as it passes through. */
export interface Call {
  readonly signal: AbortSignal | undefined
  /** A backend that tries again (on a busy database, say) counts it here. */
  retries: number
}

export interface Classified {
  readonly code: ErrorCode
  /** What a reader may see: never content, never a secret. */
  readonly message: string
}

export interface SessionReads {
  get(scope: string, session: string, call: Call): Promise<IdentifiedSession | undefined>

  /** Sessions by `lastActivityAt`, then id, both in the direction asked, after the place named. */
  list(scope: string, query: SessionQuery, call: Call): Promise<readonly StoredSession[]>

  count(scope: string, filter: SessionConditions, call: Call): Promise<number>
}

/** A session that was asked for by its id. */
export interface IdentifiedSession extends StoredSession {
  readonly digest: string
}

/** All conditions must hold. Those left out do not count. */
export interface SessionConditions {
  /** Columns that must equal a value. */
  readonly equals: Readonly<Partial<Record<FilterColumn, string>>>
  readonly statuses?: readonly string[]
  readonly tag?: string
  readonly participant?: string
  readonly folder?: string
  /** With `folder`: folders below it count too. */
  readonly descendants?: boolean
  /** A part of the folded title. */
  readonly titleContains?: string
  readonly archived: 'no' | 'only' | 'any'
  /** Exclusive bounds. */
  readonly activeAfter?: number
  readonly activeBefore?: number
  readonly createdAfter?: number
  readonly createdBefore?: number
}

export const filterColumns = [
  'agent',
  'kind',
  'source',
  'type',
  'createdBy',
  'lineageSession',
  'workingDirectory',
  'root',
  'externalRef',
  'playbook',
  'invocationKind',
  'topic',
  'step',
  'artifactsPath',
] as const
export type FilterColumn = (typeof filterColumns)[number]

export interface SessionQuery {
  readonly conditions: SessionConditions
  readonly order: 'newest' | 'oldest'
  readonly after: { readonly lastActivityAt: number; readonly id: string } | undefined
  readonly limit: number
}

export interface BranchReads {
  /** A branch of a session that is there; not one that is kept only for forks. */
  get(scope: string, branch: string, call: Call): Promise<StoredBranch | undefined>

  /**
   * The branches of a session, oldest first by creation, followed by every ancestor of theirs in other sessions
   * (also deleted ones). Empty when there is no such session.
   */
  family(scope: string, session: string, call: Call): Promise<readonly StoredBranch[]>
}

export interface MessageReads {
  /** A message that some session shows, by its id. */
  get(scope: string, message: string, call: Call): Promise<LocatedMessage | undefined>

  /** The parts of a message that some session shows, in order. */
  parts(scope: string, message: string, call: Call): Promise<readonly PartRow[] | undefined>

  /**
   * Messages of a branch's path, from `after` to `before` (both exclusive), in the order asked, until `limit` rows or
   * `size` characters are reached; at least one where there is one. Undefined when there is no such session, or when the
   * branch is not one of its own.
   */
  page(scope: string, range: PathRange, call: Call): Promise<PathPage | undefined>

  /** The last message of the active path of each session that has one, by session. */
  last(scope: string, sessions: readonly string[], call: Call): Promise<ReadonlyMap<string, StoredMessage>>

  /** The places of all parts with a call id, in any session of the scope. */
  calls(scope: string, toolCallId: string, call: Call): Promise<readonly CallPlace[]>
}

export interface LocatedMessage {
  readonly message: StoredMessage
  readonly digest: string
  readonly size: number
  /** Raised by every settlement of the message or of one of its parts; starts at 1. */
  readonly revision: number
  /** Whether the session that owns it is deleted, so that only forks show it. */
  readonly gone: boolean
}

export interface PathRange {
  readonly session: string
  /** Null for the active branch. */
  readonly branch: string | null
  readonly after: number
  readonly before: number | undefined
  readonly order: 'ascending' | 'descending'
  readonly limit: number
  readonly size: number
}

export interface PathPage {
  readonly branch: string
  readonly head: number
  readonly messages: readonly StoredMessage[]
}

export interface CallPlace {
  readonly message: string
  readonly branch: string
  readonly position: number
  readonly index: number
}

export interface LabelReads {
  /** The labels of one kind that a session has, in order. */
  of(scope: string, session: string, kind: LabelKind, call: Call): Promise<readonly string[]>

  /** The labels of one kind after the one named, each with the number of unarchived sessions that carry it, in order. */
  count(
    scope: string,
    kind: LabelKind,
    after: string | undefined,
    limit: number,
    call: Call,
  ): Promise<readonly LabelCount[]>
}

export interface LabelCount {
  readonly value: string
  readonly sessions: number
}

export interface JournalReads {
  /** Entries after a seq, in order; only those of one type when it is named. */
  list(scope: string, query: JournalQuery, call: Call): Promise<readonly StoredEntry[]>
  latest(scope: string, session: string, type: string, call: Call): Promise<StoredEntry | undefined>
  /** An entry by its id, with the session it belongs to. */
  get(
    scope: string,
    entry: string,
    call: Call,
  ): Promise<{ readonly session: string; readonly entry: StoredEntry } | undefined>
}

export interface JournalQuery {
  readonly session: string
  readonly after: number
  readonly type: string | undefined
  readonly limit: number
}

/** Administration, across scopes. */
export interface Upkeep {
  /** Scopes that hold something, in order, after the one named. */
  scopes(after: string | undefined, limit: number, call: Call): Promise<readonly string[]>

  /** Hides a scope at once and frees its id; false when there is none. What it held is removed by `sweep`. */
  hideScope(scope: string, call: Call): Promise<boolean>

  /**
   * Removes up to about `rows` rows that nothing shows any more: of deleted sessions in one scope, or everywhere and of
   * hidden scopes when the scope is null. Must be its own short transaction. True when more is left.
   */
  sweep(scope: string | null, rows: number, call: Call): Promise<boolean>

  stats(scope: string | null, call: Call): Promise<BackendStats>

  /** Looks for what must not be: gaps, orphans, wrong counts, and whatever the engine's own check reports. */
  integrity(call: Call): Promise<readonly IntegrityProblem[]>
}

export interface BackendStats {
  /** Bytes the store takes, where the backend knows. */
  readonly bytes: number | null
  readonly rows: Readonly<Record<string, number>>
  readonly sessionsByStatus: Readonly<Record<string, number>>
  /** Settings and version of the engine. */
  readonly engine: Readonly<Record<string, string | number | boolean>>
}

export interface IntegrityProblem {
  readonly kind: 'engine' | 'orphan' | 'gap' | 'count' | 'pointer' | 'unswept'
  /** Which table or rule, and keys; never content. */
  readonly detail: string
}
