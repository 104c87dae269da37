import type { JsonObject, PartInput, SessionStatus } from '@holdfast/core'

// The contract once more, as naively as possible: arrays, and forks that copy the path they show. Only the messages
// themselves are shared between copies, because a settlement is seen wherever its message is shown.

export interface NaiveMessage {
  readonly id: string
  readonly owner: NaiveSession
  readonly branch: string
  readonly position: number
  readonly role: string
  /** What the caller said, by which a replay is recognised. */
  readonly said: string
  status: string
  parts: readonly PartInput[]
}

export interface NaiveBranch {
  readonly id: string
  /** The whole path, the inherited part included. */
  readonly path: NaiveMessage[]
  readonly base: number
  readonly replaces: string | null
}

interface NaiveEvent {
  readonly id: string | null
  readonly said: string
}

export interface NaiveSession {
  readonly id: string
  readonly said: string
  readonly parent: string | null
  title: string | null
  metadata: JsonObject
  status: SessionStatus
  archived: boolean
  version: number
  spent: number
  lastActivityAt: number
  active: NaiveBranch
  readonly branches: NaiveBranch[]
  tags: string[]
  folders: string[]
  readonly changes: { readonly from: SessionStatus; readonly to: SessionStatus; readonly override: boolean }[]
  readonly events: NaiveEvent[]
  readonly expenses: NaiveEvent[]
}

export class NaiveModel {
  readonly sessions: NaiveSession[] = []
  /** Every message id that was ever stored, to see that the deleted ones are gone. */
  readonly messageIds: string[] = []

  session(id: string): NaiveSession | undefined {
    return this.sessions.find((session) => session.id === id)
  }

  /** A message that some session shows on some branch. */
  message(id: string): NaiveMessage | undefined {
    for (const session of this.sessions) {
      const found = shown(session).find((message) => message.id === id)
      if (found) return found
    }
    return undefined
  }

  isThere(session: NaiveSession): boolean {
    return this.sessions.includes(session)
  }

  remove(session: NaiveSession): void {
    this.sessions.splice(this.sessions.indexOf(session), 1)
  }
}

/** All messages a session shows, each once. */
export function shown(session: NaiveSession): NaiveMessage[] {
  return [...new Set(session.branches.flatMap(({ path }) => path))]
}

/** The path that ends with a message. */
export function pathTo(session: NaiveSession, message: NaiveMessage): NaiveMessage[] {
  const branch = session.branches.find(({ path }) => path.includes(message))
  return branch ? branch.path.slice(0, branch.path.indexOf(message) + 1) : []
}

export function addMessage(
  model: NaiveModel,
  session: NaiveSession,
  branch: NaiveBranch,
  message: Pick<NaiveMessage, 'id' | 'role' | 'said' | 'status' | 'parts'>,
): void {
  branch.path.push({ ...message, owner: session, branch: branch.id, position: branch.path.length + 1 })
  model.messageIds.push(message.id)
}

export function addBranch(
  session: NaiveSession,
  id: string,
  path: readonly NaiveMessage[],
  replaces: string | null,
): NaiveBranch {
  const branch = { id, path: [...path], base: path.length, replaces }
  session.branches.push(branch)
  return branch
}
