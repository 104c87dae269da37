import type { Message, Scope, Session } from '@holdfast/core'
import { collect } from './content.js'

/** Everything a scope holds, read through the public API: two equal dumps mean that nothing was written. */
export async function dump(scope: Scope) {
  const sessions = []
  for (const session of await allSessions(scope)) sessions.push(await dumpSession(scope, session))
  return { sessions, tags: await pagesOf((cursor) => scope.tags.list({ ...cursor, limit: 1000 })) }
}

async function dumpSession(scope: Scope, session: Session) {
  const branches = []
  for (const branch of await scope.branches.list(session.id)) {
    const path = await collect(scope.messages.iterate(session.id, { branch: branch.id }))
    branches.push({ branch, path: await withPartRows(scope, path) })
  }
  return {
    session,
    branches,
    tags: await scope.tags.of(session.id),
    folders: await scope.folders.of(session.id),
    history: await scope.sessions.statusHistory(session.id),
    journal: await scope.events.list(session.id, { limit: 1000 }),
  }
}

async function withPartRows(scope: Scope, messages: readonly Message[]) {
  const dumped = []
  for (const message of messages) dumped.push({ message, parts: await scope.messages.parts(message.id) })
  return dumped
}

async function allSessions(scope: Scope): Promise<readonly Session[]> {
  return pagesOf((cursor) => scope.sessions.list({ ...cursor, archived: 'any', with: ['lastMessage'], limit: 1000 }))
}

/** The items of all pages of a list. */
export async function pagesOf<Item>(
  read: (cursor: { cursor?: string }) => Promise<{ readonly items: readonly Item[]; readonly next: string | null }>,
): Promise<readonly Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const page = await read(cursor === null ? {} : { cursor })
    items.push(...page.items)
    cursor = page.next
  } while (cursor !== null)
  return items
}
