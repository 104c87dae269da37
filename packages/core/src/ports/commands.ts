import type { SessionStatus } from '../model/session.js'
import type {
  BranchColumns,
  BranchRow,
  JournalRow,
  LabelKind,
  MessageColumns,
  MessageRow,
  PartRow,
  SessionColumns,
  SessionRow,
  UsageDelta,
} from './rows.js'

// Every write of the contract is a list of these. They are plain data: ids and times are minted, inputs are validated,
// expectations are inside. A backend interprets them; it decides nothing.

/**
 * Creates a session with its first branch, which is active.
 *
 * Expects `id`: no session has the session's id and no branch has the branch's; `externalRef`: no other session has the
 * same source and external reference (null sources are the same source); `source`: the session that is forked from is
 * there; `at`: some session shows the message that the branch is made at.
 */
export interface CreateSession {
  readonly type: 'create-session'
  readonly session: SessionRow
  readonly branch: BranchRow
  readonly labels: readonly Label[]
  /** The session forked from, which must still be there; its tags and folders are copied to the new one. */
  readonly source: string | null
}

export interface Label {
  readonly kind: LabelKind
  readonly value: string
}

/** Sets fields of a session and raises its version. Expects `session`, `version` (when given), `externalRef`. */
export interface PatchSession {
  readonly type: 'patch-session'
  readonly session: string
  readonly set: SessionColumns
  /** The version the session must have. */
  readonly version: number
}

/** Moves `lastActivityAt` forward to `at`; never back. Expects `session`. */
export interface TouchSession {
  readonly type: 'touch-session'
  readonly session: string
  readonly at: number
}

/**
 * Changes the status. Expects `session` and `status`: it is the one named. Sets `startedAt` to `startedAt` where it is
 * null, and `endedAt` to `endedAt`.
 */
export interface SetStatus {
  readonly type: 'set-status'
  readonly session: string
  readonly from: SessionStatus
  readonly to: SessionStatus
  readonly reasonJson: string | null
  readonly startedAt: number | null
  readonly endedAt: number | null
}

/** Adds to what the session spent. Expects `session`. */
export interface AddUsage {
  readonly type: 'add-usage'
  readonly session: string
  readonly usage: UsageDelta
}

/**
 * Deletes a session: it is gone from every read at once, and its id is free. Messages that a branch of another session
 * shows stay readable through it; until then they and their branches keep their ids. What nothing shows is removed by
 * `sweep`. Expects `session`.
 */
export interface DeleteSession {
  readonly type: 'delete-session'
  readonly session: string
}

/** Creates a branch of a session. Expects `session`, `id` and `at` as `create-session` does. */
export interface CreateBranch {
  readonly type: 'create-branch'
  readonly session: string
  readonly branch: BranchRow
  readonly activate: boolean
}

/** Sets fields of a branch and raises its version. Expects `branch` (of a session that is there) and `version`. */
export interface PatchBranch {
  readonly type: 'patch-branch'
  readonly branch: string
  readonly set: BranchColumns
  readonly version: number
}

/** Makes a branch of the session the active one. Expects `session` and `branch`: it belongs to that session. */
export interface ActivateBranch {
  readonly type: 'activate-branch'
  readonly session: string
  readonly branch: string
}

/**
 * Appends messages to a branch at the next positions, and moves `lastActivityAt` forward to `at`.
 *
 * Expects `session`; `branch`: the named one belongs to it; `after`: the last message of the branch's path is the one
 * named; `id`: no message of the scope has one of the ids.
 */
export interface Append {
  readonly type: 'append'
  readonly session: string
  /** Null for the active branch. */
  readonly branch: string | null
  /** Undefined expects nothing, null an empty path. */
  readonly after: string | null | undefined
  readonly at: number
  readonly messages: readonly AppendedMessage[]
}

export interface AppendedMessage {
  readonly message: MessageRow
  readonly parts: readonly PartRow[]
}

/**
 * Sets fields of a message, replaces whole parts of it, and raises its revision. Expects `message` (one that some
 * session still shows) and `revision`: it is the one named.
 */
export interface SettleMessage {
  readonly type: 'settle-message'
  readonly message: string
  readonly revision: number
  readonly at: number
  readonly set: MessageColumns
  readonly parts: readonly PartRow[]
}

/** Changes the labels of one kind: `replace` sets exactly these. What is there already, or not there, is no error. Expects `session`. */
export interface ChangeLabels {
  readonly type: 'change-labels'
  readonly session: string
  readonly kind: LabelKind
  readonly change: 'replace' | 'add' | 'remove'
  readonly values: readonly string[]
}

/**
 * Adds an entry at the next seq of the session's journal. Expects `session`, and `id`: no entry of the scope has its id
 * (an entry without one is always new).
 */
export interface WriteJournal {
  readonly type: 'write-journal'
  readonly session: string
  readonly entry: JournalRow
}

export type Command =
  | CreateSession
  | PatchSession
  | TouchSession
  | SetStatus
  | AddUsage
  | DeleteSession
  | CreateBranch
  | PatchBranch
  | ActivateBranch
  | Append
  | SettleMessage
  | ChangeLabels
  | WriteJournal

/** What a command found not to be so. */
export type Expectation =
  | 'session'
  | 'branch'
  | 'message'
  | 'source'
  | 'at'
  | 'id'
  | 'externalRef'
  | 'version'
  | 'revision'
  | 'status'
  | 'after'

/** What only the backend could know about a command it carried out. */
export interface Receipt {
  /** Of `append`: the branch that was written to. */
  readonly branch?: string
  /** Of `append`: the position of its first message. */
  readonly position?: number
  /** Of `write-journal`, when the entry has an id. */
  readonly seq?: number
}

export type CommitResult =
  | { readonly committed: true; readonly receipts: readonly Receipt[] }
  | {
      readonly committed: false
      /** The index of the first command that was refused. */
      readonly command: number
      readonly expectation: Expectation
    }
