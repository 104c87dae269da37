import { notFound } from '../errors.js'
import type { StoredBranch, StoredMessage } from '../ports/rows.js'
import type { Work } from '../work.js'

/** A place on a path. */
export interface Spot {
  readonly branch: string
  readonly position: number
}

/**
 * The branches of a session with their ancestors, and what follows from them: which branch owns a position of a path,
 * and whether the session shows a message.
 */
export class Family {
  readonly session: string
  readonly own: readonly StoredBranch[]
  readonly active: StoredBranch
  readonly #byId: ReadonlyMap<string, StoredBranch>

  private constructor(session: string, rows: readonly StoredBranch[], active: StoredBranch) {
    this.session = session
    this.own = rows.filter((row) => row.session === session && !row.gone)
    this.active = active
    this.#byId = new Map(rows.map((row) => [row.id, row]))
  }

  static async of(work: Work, session: string): Promise<Family> {
    const rows = await work.backend.branches.family(work.scope, session, work)
    const active = rows.find((row) => row.active && row.session === session && !row.gone)
    if (active === undefined) throw notFound('session', session)
    return new Family(session, rows, active)
  }

  /** A branch of the session itself. */
  ownBranch(id: string): StoredBranch {
    const branch = this.own.find((row) => row.id === id)
    if (branch === undefined) throw notFound('branch', id)
    return branch
  }

  /** The branch that owns a position of a branch's path, or undefined beyond its head. */
  ownerAt(branch: StoredBranch, position: number): string | undefined {
    if (position < 1 || position > branch.head) return undefined
    let owner: StoredBranch | undefined = branch
    while (owner !== undefined && position <= owner.base)
      owner = owner.parent === null ? undefined : this.#byId.get(owner.parent)
    return owner?.id
  }

  onPath(branch: StoredBranch, spot: Spot): boolean {
    return this.ownerAt(branch, spot.position) === spot.branch
  }

  /** Whether any branch of the session shows the message. */
  shows(spot: Spot): boolean {
    return this.onPath(this.active, spot) || this.own.some((branch) => this.onPath(branch, spot))
  }
}

/** A message that the session shows on some branch, or on the one named. */
export async function shownMessage(
  work: Work,
  family: Family,
  message: string,
  branch?: StoredBranch,
): Promise<StoredMessage> {
  const located = await work.backend.messages.get(work.scope, message, work)
  const shown = located && (branch ? family.onPath(branch, located.message) : family.shows(located.message))
  if (!shown) throw notFound('message', message)
  return located.message
}

/** The message at a position of a branch's path. */
export async function messageAt(
  work: Work,
  session: string,
  branch: string,
  position: number,
): Promise<StoredMessage | undefined> {
  const range = {
    session,
    branch,
    after: position - 1,
    before: position + 1,
    order: 'ascending',
    limit: 1,
    size: 0,
  } as const
  return (await work.backend.messages.page(work.scope, range, work))?.messages[0]
}
