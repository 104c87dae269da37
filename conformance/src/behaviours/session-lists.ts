import type { Scope, Session, SessionListOptions } from '@holdfast/core'
import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { conversation, nth, numbered, only, says } from '../tools/content.js'
import { refused } from '../tools/refusals.js'

async function idsOf(scope: Scope, options: SessionListOptions = {}): Promise<readonly string[]> {
  return (await scope.sessions.list(options)).items.map(({ id }) => id)
}

/** All pages of a list, with something done between one page and the next. */
async function pages(scope: Scope, options: SessionListOptions, between?: (page: number) => Promise<unknown>) {
  const ids: string[] = []
  let cursor: string | null = null
  for (let page = 0; page === 0 || cursor !== null; page++) {
    if (page > 0) await between?.(page)
    const given: SessionListOptions = cursor === null ? options : { ...options, cursor }
    const { items, next } = await scope.sessions.list(given)
    ids.push(...items.map(({ id }) => id))
    cursor = next
  }
  return ids
}

/** Sessions a to e: a was active first, e last. */
async function fiveSessions(scope: Scope): Promise<readonly Session[]> {
  const sessions: Session[] = []
  for (const [index, id] of ['a', 'b', 'c', 'd', 'e'].entries())
    sessions.push(await scope.sessions.create({ id, createdAt: 1, lastActivityAt: 100 + index }))
  return sessions
}

/** Ids whose order by UTF-16 units differs from that of their UTF-8 bytes. */
const byBytes = ['-', 'B', 'a', 'z', 'ä', '\uffee', '\u{1f600}']

export const sessionLists = group('session lists', {
  'sessions are listed by last activity, newest first': async ({ scope, clock }) => {
    await fiveSessions(scope)
    expect(await idsOf(scope)).toEqual(['e', 'd', 'c', 'b', 'a'])
    clock.advance(1)
    await scope.messages.append('b', says('here again'))
    expect(await idsOf(scope)).toEqual(['b', 'e', 'd', 'c', 'a'])
  },

  'order oldest turns the list around': async ({ scope }) => {
    await fiveSessions(scope)
    expect(await idsOf(scope, { order: 'oldest' })).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(await pages(scope, { order: 'oldest', limit: 2 })).toEqual(['a', 'b', 'c', 'd', 'e'])
  },

  'sessions of equal activity are ordered by the UTF-8 bytes of their ids': async ({ scope }) => {
    for (const id of byBytes.toReversed()) await scope.sessions.create({ id, lastActivityAt: 5, createdAt: 5 })
    expect(await idsOf(scope, { order: 'oldest' })).toEqual(byBytes)
    expect(await idsOf(scope)).toEqual(byBytes.toReversed())
  },

  'pages over equal activity neither skip nor repeat a session': async ({ scope }) => {
    for (const id of byBytes) await scope.sessions.create({ id, lastActivityAt: 5, createdAt: 5 })
    for (const limit of [1, 2, 3, 7]) {
      expect(await pages(scope, { limit, order: 'oldest' })).toEqual(byBytes)
      expect(await pages(scope, { limit })).toEqual(byBytes.toReversed())
    }
  },

  'the last page has no next, also when it is full': async ({ scope }) => {
    await fiveSessions(scope)
    const whole = await scope.sessions.list({ limit: 5 })
    expect(whole.items).toHaveLength(5)
    expect(whole.next).toBeNull()
    expect((await scope.sessions.list({ limit: 4 })).next).not.toBeNull()
    expect((await scope.sessions.list({ agent: 'nobody' })).next).toBeNull()
  },

  'a page holds 50 sessions when no limit is given': async ({ scope }) => {
    await scope.batch((write) => {
      for (const id of numbered(51, 'session')) write.sessions.create({ id })
    })
    expect((await scope.sessions.list()).items).toHaveLength(50)
  },

  'a session that becomes active between two pages is not seen twice, and no other is skipped': async ({
    scope,
    clock,
  }) => {
    await fiveSessions(scope)
    const seen = await pages(scope, { limit: 2 }, async (page) => {
      clock.advance(1)
      if (page === 1) await scope.sessions.touch('e')
      if (page === 2) await scope.sessions.create({ id: 'new' })
    })
    expect(seen).toEqual(['e', 'd', 'c', 'b', 'a'])
  },

  'the session a cursor stands on may be deleted or archived': async ({ scope }) => {
    await fiveSessions(scope)
    const seen = await pages(scope, { limit: 2 }, async (page) => {
      if (page === 1) await scope.sessions.delete('d')
      if (page === 2) await scope.sessions.archive('b')
    })
    expect(seen).toEqual(['e', 'd', 'c', 'b', 'a'])
    expect(await idsOf(scope)).toEqual(['e', 'c', 'a'])
  },

  'pages of a filtered list hold only what the filter finds': async ({ scope }) => {
    for (const session of await fiveSessions(scope))
      await scope.tags.set(session.id, ['a', 'c', 'e'].includes(session.id) ? ['odd'] : ['even'])
    expect(await pages(scope, { limit: 1, tag: 'odd' })).toEqual(['e', 'c', 'a'])
    expect(await pages(scope, { limit: 1, tag: 'even', order: 'oldest' })).toEqual(['b', 'd'])
  },

  'a listed session is the session that get reads': async ({ scope }) => {
    const { session } = await conversation(scope, 'one', 'two')
    expect(only((await scope.sessions.list()).items)).toStrictEqual(await scope.sessions.get(session.id))
  },

  'count counts what the list would give, without a limit': async ({ scope }) => {
    await fiveSessions(scope)
    await scope.sessions.archive('a')
    expect(await scope.sessions.count()).toBe(4)
    expect(await scope.sessions.count({ archived: 'any' })).toBe(5)
    expect(await scope.sessions.count({ activeAfter: 102 })).toBe(2)
  },

  'a limit outside of 1 to 1000 is invalid': async ({ scope }) => {
    await refused('invalid', scope.sessions.list({ limit: 0 }))
    await refused('invalid', scope.sessions.list({ limit: 1001 }))
    await refused('invalid', scope.sessions.list({ limit: 1.5 }))
    expect((await scope.sessions.list({ limit: 1000 })).items).toEqual([])
  },

  'the last message comes with the list when it is asked for': async ({ scope, clock }) => {
    const { session } = await conversation(scope, 'first')
    clock.advance(7)
    const last = await scope.messages.append(session.id, {
      role: 'assistant',
      parts: [{ type: 'step-start' }, { type: 'text', text: 'the last words' }],
    })
    const empty = await scope.sessions.create({ lastActivityAt: 1, createdAt: 1 })
    const { items } = await scope.sessions.list({ with: ['lastMessage'] })
    expect(items.map(({ id }) => id)).toEqual([session.id, empty.id])
    expect(nth(items, 0).lastMessage).toStrictEqual({
      id: last.id,
      role: 'assistant',
      at: clock(),
      preview: 'the last words',
    })
    expect(nth(items, 1).lastMessage).toBeNull()
    expect(nth((await scope.sessions.list()).items, 0)).not.toHaveProperty('lastMessage')
  },

  'the last messages of many sessions come with one list': async ({ scope }) => {
    const ids = numbered(300, 'session')
    await scope.batch((write) => {
      for (const id of ids) {
        write.sessions.create({ id })
        write.messages.appendAll(id, [says('first'), says(`last of ${id}`)])
      }
    })
    const { items } = await scope.sessions.list({ with: ['lastMessage'], limit: 1000 })
    expect(items.map(({ id, lastMessage }) => [id, lastMessage?.preview])).toEqual(
      items.map(({ id }) => [id, `last of ${id}`]),
    )
    expect(items).toHaveLength(300)
  },

  'a preview is at most 200 code points and never half a character': async ({ scope }) => {
    const { session } = await conversation(scope, '\u{1f600}'.repeat(300))
    const listed = only((await scope.sessions.list({ with: ['lastMessage'] })).items)
    expect(listed.id).toBe(session.id)
    expect(listed.lastMessage?.preview).toBe('\u{1f600}'.repeat(200))
  },

  'the last message is the last of the visible path, also in a fork': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two', 'three')
    const fork = await scope.sessions.fork(session.id, { at: nth(messages, 1).id })
    await scope.branches.rewind(session.id, { at: nth(messages, 0).id })
    const { items } = await scope.sessions.list({ with: ['lastMessage'] })
    const previews = new Map(items.map(({ id, lastMessage }) => [id, lastMessage?.preview]))
    expect(previews.get(session.id)).toBe('one')
    expect(previews.get(fork.id)).toBe('two')
  },
})
