import type { BranchRow, LabelKind, MessageRow, PartRow, SessionRow, StoredEntry } from '../ports/rows.js'

// The data of the reference backend: plain objects that point at each other. Forks share messages by pointing at the
// branch that owns them, as every backend does.

export interface SessionRecord {
  row: SessionRow
  readonly branches: BranchRecord[]
  active: BranchRecord
  readonly labels: Record<LabelKind, Set<string>>
  readonly journal: StoredEntry[]
  /** Deleted, and kept only for the branches that forks still show. */
  gone: boolean
}

export interface BranchRecord {
  row: BranchRow
  readonly session: SessionRecord
  readonly parent: BranchRecord | null
  readonly base: number
  /** Its own messages, at base + 1 and on. */
  readonly messages: MessageRecord[]
  readonly children: Set<BranchRecord>
}

export interface MessageRecord {
  row: MessageRow
  readonly branch: BranchRecord
  readonly position: number
  revision: number
  parts: readonly PartRow[]
}

export interface EntryRecord {
  readonly session: SessionRecord
  readonly entry: StoredEntry
}

/** Everything of one scope. */
export class MemoryScope {
  readonly sessions = new Map<string, SessionRecord>()
  readonly branches = new Map<string, BranchRecord>()
  readonly messages = new Map<string, MessageRecord>()
  readonly entries = new Map<string, EntryRecord>()
  /** Deleted sessions whose messages a fork may still show. */
  readonly gone = new Set<SessionRecord>()
}

/** What a memory store keeps. Give the same to two stores, and both see it. */
export class MemoryData {
  readonly scopes = new Map<string, MemoryScope>()
}

export function headOf(branch: BranchRecord): number {
  return branch.base + branch.messages.length
}

/** The message at a position of a branch's path. */
export function messageOnPath(branch: BranchRecord, position: number): MessageRecord | undefined {
  let owner: BranchRecord | null = branch
  while (owner !== null && position <= owner.base) owner = owner.parent
  return owner?.messages[position - owner.base - 1]
}

/** Whether a session that is there shows the message on one of its branches. */
export function isShown(message: MessageRecord): boolean {
  return showsUpTo(message.branch, message.position)
}

function showsUpTo(branch: BranchRecord, position: number): boolean {
  if (!branch.session.gone) return true
  for (const child of branch.children) if (child.base >= position && showsUpTo(child, child.base)) return true
  return false
}
