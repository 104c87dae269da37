import type { Event, Scope, Session, SessionListOptions } from '@holdfast/core'
import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { nth, numbered, says, textOf } from '../tools/content.js'

const limits = { pageCharacters: 1000 }

/** The pages of a list of sessions, each as the letters that the sessions were made with. */
async function pagesOf(scope: Scope, options: SessionListOptions): Promise<readonly string[]> {
  const pages: string[] = []
  let cursor: string | null = null
  do {
    const page: { items: readonly Session[]; next: string | null } = await scope.sessions.list(
      cursor === null ? options : { ...options, cursor },
    )
    pages.push(page.items.map(({ agent }) => agent).join(''))
    cursor = page.next
  } while (cursor !== null)
  return pages
}

/** The pages of a journal, each as the first letters of its payloads. */
async function journalPages(scope: Scope, session: string, type: string): Promise<readonly string[]> {
  const pages: string[] = []
  for (let after = 0; ; ) {
    const page: readonly Event[] = await scope.events.list(session, { after, type })
    if (page.length === 0) return pages
    pages.push(page.map(({ payload }) => String(payload)[0]).join(''))
    after = nth(page, -1).seq
  }
}

export const largePages = group('large pages', {
  'a page of sessions ends at its limit of characters, and holds at least one': async ({ fresh, clock }) => {
    const scope = (await fresh({ limits })).scope('workspace')
    for (const agent of ['a', 'b', 'c', 'd', 'e']) {
      await scope.sessions.create({ agent, summary: agent.repeat(400) })
      clock.advance(1)
    }
    await scope.sessions.create({ agent: 'f', metadata: { large: 'x'.repeat(5000) } })
    expect(await pagesOf(scope, {})).toEqual(['f', 'ed', 'cb', 'a'])
    expect(await pagesOf(scope, { order: 'oldest' })).toEqual(['ab', 'cd', 'e', 'f'])
    expect(await pagesOf(scope, { order: 'oldest', with: ['lastMessage'], limit: 1 })).toEqual([...'abcdef'])
  },

  'a page of events ends at its limit of characters, and holds at least one': async ({ fresh }) => {
    const scope = (await fresh({ limits })).scope('workspace')
    const session = await scope.sessions.create()
    for (const letter of ['a', 'b', 'c', 'd', 'e'])
      await scope.events.add(session.id, { type: 'large', payload: letter.repeat(400) })
    await scope.events.add(session.id, { type: 'large', payload: 'f'.repeat(5000) })
    await scope.events.add(session.id, { type: 'large', payload: 'g' })
    expect(await journalPages(scope, session.id, 'large')).toEqual(['ab', 'cd', 'e', 'f', 'g'])
  },

  'a page of the status history ends at its limit of characters': async ({ fresh }) => {
    const scope = (await fresh({ limits })).scope('workspace')
    const { id } = await scope.sessions.create()
    const reason = 'x'.repeat(400)
    for (const to of ['running', 'waiting', 'idle'] as const)
      await scope.sessions.setStatus(id, { from: ['idle', 'running', 'waiting'], to, reason })
    const first = await scope.sessions.statusHistory(id)
    expect(first.map(({ to }) => to)).toEqual(['running', 'waiting'])
    const rest = await scope.sessions.statusHistory(id, { after: nth(first, -1).seq })
    expect(rest.map(({ to }) => to)).toEqual(['idle'])
  },

  'what is large in a message beside its parts counts for its page, also when it came later': async ({ fresh }) => {
    const scope = (await fresh({ limits })).scope('workspace')
    const session = await scope.sessions.create()
    const large = { large: 'x'.repeat(400) }
    const kinds = [{ metadata: large }, { trigger: large }, { error: large }, {}, { metadata: large }]
    for (const [index, kind] of kinds.entries()) await scope.messages.append(session.id, says(`${index}`, kind))
    const fourth = nth((await scope.messages.list(session.id, { limit: 2 })).items, 0)
    await scope.messages.settle(fourth.id, { error: large })
    const newest = await scope.messages.list(session.id)
    expect(newest.items.map(textOf)).toEqual(['3', '4'])
    const older = await scope.messages.list(session.id, { before: newest.before ?? '' })
    expect(older.items.map(textOf)).toEqual(['1', '2'])
    await scope.messages.settle(fourth.id, { metadata: { more: 'x'.repeat(5000) } })
    expect((await scope.messages.list(session.id)).items.map(textOf)).toEqual(['4'])
  },

  'a page of many small sessions and a page of many small events are as long as was asked': async ({
    scope,
    clock,
  }) => {
    const agents = numbered(200, 'agent')
    for (const agent of agents) {
      await scope.sessions.create({ agent })
      clock.advance(1)
    }
    const first = await scope.sessions.list({ limit: 150, order: 'oldest' })
    expect(first.items.map(({ agent }) => agent)).toEqual(agents.slice(0, 150))
    const rest = await scope.sessions.list({ limit: 50, order: 'oldest', cursor: first.next ?? '' })
    expect(rest.items.map(({ agent }) => agent)).toEqual(agents.slice(150))
    expect(rest.next).toBeNull()
    expect((await scope.sessions.list({ limit: 200 })).next).toBeNull()
    const { id } = await scope.sessions.create()
    await scope.batch((write) => {
      for (const type of agents) write.events.add(id, { type })
    })
    const events = await scope.events.list(id, { limit: 150 })
    expect(events.map(({ type }) => type)).toEqual(agents.slice(0, 150))
    expect(await scope.events.list(id, { after: 150, limit: 1000 })).toHaveLength(50)
  },
})
