import type { BranchOrigin } from '../model/branch.js'
import type { MessageStatus } from '../model/message.js'
import type { SessionStatus } from '../model/session.js'
import type { Usage } from '../model/usage.js'

// What a backend keeps. Rows are flat: texts, whole numbers, booleans and nulls. A field that ends in `Json` is JSON
// text which a backend stores and returns byte for byte and never looks into.

/** A session as it is written. */
export interface SessionRow {
  readonly id: string
  readonly digest: string
  readonly agent: string | null
  readonly title: string | null
  /** The title folded by core, for the substring filter. */
  readonly titleFolded: string | null
  readonly titledBy: string | null
  readonly kind: string
  readonly source: string | null
  readonly type: string
  readonly interactive: boolean
  readonly createdBy: string | null
  readonly participantsJson: string
  readonly mode: string | null
  readonly modelJson: string | null
  readonly workingDirectory: string | null
  readonly root: string | null
  readonly lineageRelation: string | null
  readonly lineageSession: string | null
  readonly lineageMessage: string | null
  readonly externalRef: string | null
  readonly permissionsJson: string
  readonly playbook: string | null
  readonly invocationKind: string | null
  readonly topic: string | null
  readonly step: string | null
  readonly artifactsPath: string | null
  readonly summaryJson: string | null
  readonly workingMemoryJson: string | null
  readonly transcriptJson: string | null
  readonly metadataJson: string
  readonly status: SessionStatus
  readonly statusReasonJson: string | null
  readonly usageInput: number
  readonly usageOutput: number
  readonly usageReasoning: number
  readonly usageCacheRead: number
  readonly usageCacheWrite: number
  readonly usageTotal: number
  readonly usageCost: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly lastActivityAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly archivedAt: number | null
  readonly version: number
}

/** A session as it is read, with what only its active branch knows, and without what only writes and filters need. */
export interface StoredSession extends Omit<SessionRow, 'digest' | 'titleFolded'> {
  readonly activeBranch: string
  /** The head of the active branch. */
  readonly messageCount: number
}

/** The fields of a session that a patch may set. */
export type SessionColumns = Partial<Omit<SessionRow, 'id' | 'digest' | 'version'>>

/** A branch as it is written. */
export interface BranchRow {
  readonly id: string
  readonly digest: string
  /** The last message it shares with another branch, or null on a path of its own. */
  readonly at: string | null
  readonly origin: BranchOrigin
  readonly replaces: string | null
  readonly name: string | null
  readonly agentConfigJson: string | null
  readonly systemMessage: string | null
  readonly status: string | null
  readonly metadataJson: string
  readonly createdBy: string | null
  readonly createdAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly version: number
}

/** A branch as it is read. */
export interface StoredBranch extends Omit<BranchRow, 'at'> {
  /** The branch that owns the message it was made at, and that message's position; null and 0 on a path of its own. */
  readonly parent: string | null
  readonly base: number
  /** The session that owns the branch. Of a deleted session it is the id it had. */
  readonly session: string
  /** Whether that session is deleted and the branch is kept only for the forks that show it. */
  readonly gone: boolean
  readonly active: boolean
  readonly head: number
}

export type BranchColumns = Partial<
  Pick<BranchRow, 'name' | 'agentConfigJson' | 'systemMessage' | 'status' | 'metadataJson' | 'startedAt' | 'endedAt'>
>

/** A part as it is written and read. */
export interface PartRow {
  readonly index: number
  readonly type: string
  readonly toolCallId: string | null
  readonly state: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly payloadJson: string
}

/** A message as it is written, without its place: the backend assigns branch and position. */
export interface MessageRow {
  readonly id: string
  readonly digest: string
  readonly role: string
  readonly kind: string | null
  readonly sender: string | null
  readonly recipient: string | null
  readonly channel: string | null
  readonly status: MessageStatus
  readonly modelJson: string | null
  readonly agent: string | null
  readonly usageJson: string | null
  readonly finishReason: string | null
  readonly errorJson: string | null
  readonly triggerJson: string | null
  readonly metadataJson: string
  readonly createdBy: string | null
  readonly createdAt: number
  readonly updatedAt: number
  /** The characters of its JSON and of all payloads together, so that a page can be cut without reading them. */
  readonly size: number
}

/** A message as it is read, without what only writes need. */
export interface StoredMessage extends Omit<MessageRow, 'digest' | 'size'> {
  readonly session: string
  readonly branch: string
  readonly position: number
  /** The payloads of its parts in order. */
  readonly payloads: readonly string[]
}

export type MessageColumns = Partial<
  Pick<MessageRow, 'status' | 'usageJson' | 'finishReason' | 'errorJson' | 'metadataJson' | 'size'>
>

export type LabelKind = 'tag' | 'folder' | 'participant'

/** The journal types whose entries hold keys only and no payload. All others have one, so a backend may index only those. */
export const keyOnlyTypes: ReadonlySet<string> = new Set(['message', 'settlement'])

/** An entry of a session's journal as it is written; the backend assigns the seq. */
export interface JournalRow {
  readonly id: string | null
  readonly digest: string | null
  readonly type: string
  readonly payloadJson: string | null
  readonly message: string | null
  readonly user: string | null
  readonly at: number
}

export interface StoredEntry extends JournalRow {
  readonly seq: number
}

export type UsageDelta = Usage
