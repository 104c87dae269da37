import type { MessageListOptions, Scope } from '@holdfast/core'
import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { collect, conversation, nth, numbered, path, say, says, textOf } from '../tools/content.js'
import { refused } from '../tools/refusals.js'

async function page(scope: Scope, session: string, options: MessageListOptions) {
  const { items, before, after } = await scope.messages.list(session, options)
  return { texts: items.map(textOf), before: before ?? undefined, after: after ?? undefined }
}

/** Ten messages over a fork: five of the source, then five of its own. */
async function forkedThread(scope: Scope) {
  const source = await conversation(scope, ...numbered(5))
  const fork = await scope.sessions.fork(source.session.id)
  const own = await say(scope, fork, ...numbered(10).slice(5))
  return { fork, messages: [...source.messages, ...own] }
}

/** Work that does not let anything else of the process run. */
function busyFor(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

export const reading = group('reading', {
  'a list gives the newest page, oldest first': async ({ scope }) => {
    const { session } = await conversation(scope, ...numbered(5))
    const newest = await page(scope, session.id, { limit: 2 })
    expect(newest.texts).toEqual(['message 4', 'message 5'])
    expect(newest.before).toBeDefined()
    expect(newest.after).toBeUndefined()
  },

  'before and after page either way and end where nothing more stands': async ({ scope }) => {
    const { session } = await conversation(scope, ...numbered(5))
    const newest = await page(scope, session.id, { limit: 2 })
    const middle = await page(scope, session.id, { limit: 2, before: newest.before })
    expect(middle.texts).toEqual(['message 2', 'message 3'])
    const oldest = await page(scope, session.id, { limit: 2, before: middle.before })
    expect(oldest.texts).toEqual(['message 1'])
    expect(oldest.before).toBeUndefined()
    const back = await page(scope, session.id, { limit: 2, after: oldest.after })
    expect(back.texts).toEqual(['message 2', 'message 3'])
    const last = await page(scope, session.id, { limit: 2, after: back.after })
    expect(last.texts).toEqual(['message 4', 'message 5'])
    expect(last.after).toBeUndefined()
  },

  'pages across a fork join to the whole path': async ({ scope }) => {
    const { fork } = await forkedThread(scope)
    for (const limit of [1, 3, 5, 10]) {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const given = await page(scope, fork.id, cursor === undefined ? { limit } : { limit, before: cursor })
        seen.unshift(...given.texts)
        cursor = given.before
      } while (cursor !== undefined)
      expect(seen).toEqual(numbered(10))
    }
  },

  'a session without messages has one empty page': async ({ scope }) => {
    const session = await scope.sessions.create()
    expect(await scope.messages.list(session.id)).toStrictEqual({ items: [], before: null, after: null })
    expect(await collect(scope.messages.iterate(session.id))).toEqual([])
  },

  'a page holds 50 messages when no limit is given': async ({ scope }) => {
    const session = await scope.sessions.create()
    await scope.messages.appendAll(
      session.id,
      numbered(60).map((text) => says(text)),
    )
    expect((await page(scope, session.id, {})).texts).toEqual(numbered(60).slice(10))
  },

  'what is appended later is found after the newest page': async ({ scope }) => {
    const { session } = await conversation(scope, 'one', 'two')
    const newest = await page(scope, session.id, { limit: 1 })
    const older = await page(scope, session.id, { limit: 1, before: newest.before })
    await say(scope, session, 'three')
    expect((await page(scope, session.id, { after: older.after })).texts).toEqual(['two', 'three'])
  },

  'paging stays on the branch it began on': async ({ scope }) => {
    const { session, messages } = await conversation(scope, ...numbered(5))
    const newest = await page(scope, session.id, { limit: 2 })
    await scope.branches.rewind(session.id, { at: nth(messages, 1).id })
    await say(scope, session, 'other 3', 'other 4', 'other 5')
    const older = await page(scope, session.id, { limit: 2, before: newest.before })
    expect(older.texts).toEqual(['message 2', 'message 3'])
    expect((await page(scope, session.id, { limit: 9, after: older.after })).texts).toEqual(['message 4', 'message 5'])
  },

  'a list may name a branch that is not active': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two', 'three')
    await scope.branches.rewind(session.id, { at: nth(messages, 0).id })
    expect((await page(scope, session.id, { branch: session.activeBranch, limit: 2 })).texts).toEqual(['two', 'three'])
    expect((await page(scope, session.id, {})).texts).toEqual(['one'])
    await refused('not_found', scope.messages.list(session.id, { branch: 'never' }))
  },

  "a list names a branch of its own session, not another's": async ({ scope }) => {
    const { session } = await conversation(scope, 'one')
    const other = await conversation(scope, 'elsewhere')
    const fork = await scope.sessions.fork(session.id)
    for (const { activeBranch } of [other.session, fork]) {
      await refused('not_found', scope.messages.list(session.id, { branch: activeBranch }))
      await refused('not_found', collect(scope.messages.iterate(session.id, { branch: activeBranch })))
    }
  },

  'around centres a page on a message': async ({ scope }) => {
    const { fork, messages } = await forkedThread(scope)
    const centred = await page(scope, fork.id, { around: nth(messages, 4).id, limit: 5 })
    expect(centred.texts).toEqual(numbered(10).slice(2, 7))
    const older = await page(scope, fork.id, { before: centred.before, limit: 5 })
    expect(older.texts).toEqual(numbered(10).slice(0, 2))
    const newer = await page(scope, fork.id, { after: centred.after, limit: 5 })
    expect(newer.texts).toEqual(numbered(10).slice(7))
  },

  'around a message near an end still shows that message, and as many as were asked for': async ({ scope }) => {
    const { fork, messages } = await forkedThread(scope)
    const around = async (index: number, limit: number) =>
      (await page(scope, fork.id, { around: nth(messages, index).id, limit })).texts
    for (const index of [0, 1]) expect(await around(index, 5)).toEqual(numbered(10).slice(0, 5))
    for (const index of [8, 9]) expect(await around(index, 5)).toEqual(numbered(10).slice(5))
    for (const index of [0, 4, 9]) expect(await around(index, 20)).toEqual(numbered(10))
    expect((await page(scope, fork.id, { around: nth(messages, 6).id, limit: 1 })).texts).toEqual(['message 7'])
  },

  'around a message that the session or the named branch does not show is not_found': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    const stranger = await conversation(scope, 'elsewhere')
    const branch = await scope.branches.rewind(session.id, { at: nth(messages, 0).id })
    const options = { around: nth(messages, 1).id, branch: branch.id }
    await refused('not_found', scope.messages.list(session.id, options))
    await refused('not_found', scope.messages.list(session.id, { around: nth(stranger.messages, 0).id }))
  },

  'iterate gives a whole long thread, oldest first': async ({ scope }) => {
    const session = await scope.sessions.create()
    const texts = numbered(1234)
    await scope.messages.appendAll(
      session.id,
      texts.map((text) => says(text)),
    )
    const messages = await collect(scope.messages.iterate(session.id))
    expect(messages.map(textOf)).toEqual(texts)
    expect(messages.map(({ position }) => position)).toEqual(texts.map((_, index) => index + 1))
  },

  'iterate answers calls made at the same time in their order, each message once': async ({ scope }) => {
    const session = await scope.sessions.create()
    await scope.messages.appendAll(
      session.id,
      numbered(450).map((text) => says(text)),
    )
    const iteration = scope.messages.iterate(session.id)[Symbol.asyncIterator]()
    const results = await Promise.all(Array.from({ length: 452 }, () => iteration.next()))
    expect(results.slice(0, 450).map(({ value }) => value?.position)).toEqual(
      Array.from({ length: 450 }, (_, index) => index + 1),
    )
    expect(results.slice(450)).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ])
  },

  'an iteration can be gone on with where it stands': async ({ scope }) => {
    const { session } = await conversation(scope, 'one', 'two', 'three')
    const iteration = scope.messages.iterate(session.id)[Symbol.asyncIterator]()
    await iteration.next()
    expect((await collect(iteration)).map(textOf)).toEqual(['two', 'three'])
    expect(await collect(iteration)).toEqual([])
  },

  'an iteration that is left while it reads is over': async ({ scope }) => {
    const { session } = await conversation(scope, 'one', 'two')
    const iteration = scope.messages.iterate(session.id)[Symbol.asyncIterator]()
    const [first, , late] = await Promise.all([iteration.next(), iteration.return?.(), iteration.next()])
    expect(first.value?.position).toBe(1)
    expect(late).toEqual({ done: true, value: undefined })
  },

  'an iteration that failed is over': async ({ scope }) => {
    const iteration = scope.messages.iterate('never')[Symbol.asyncIterator]()
    const attempts = [iteration.next(), iteration.next()] as const
    await refused('not_found', attempts[0])
    expect(await attempts[1]).toEqual({ done: true, value: undefined })
  },

  'a long iteration lets the rest of the process run': async ({ scope }) => {
    const session = await scope.sessions.create()
    await scope.messages.appendAll(
      session.id,
      numbered(600).map((text) => says(text)),
    )
    let ran = false
    setTimeout(() => {
      ran = true
    }, 0)
    let ranMeanwhile = false
    for await (const { position } of scope.messages.iterate(session.id)) {
      if (position % 100 === 0) busyFor(15)
      ranMeanwhile ||= ran
    }
    expect(ranMeanwhile).toBe(true)
  },

  'iterate may be left early': async ({ scope }) => {
    const { session } = await conversation(scope, 'one', 'two', 'three')
    const seen: string[] = []
    for await (const message of scope.messages.iterate(session.id)) {
      seen.push(textOf(message))
      if (seen.length === 2) break
    }
    expect(seen).toEqual(['one', 'two'])
    expect(await path(scope, session)).toEqual(['one', 'two', 'three'])
  },

  'iterate over all branches gives every message the session owns once, branch by branch': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    await scope.branches.rewind(session.id, { at: nth(messages, 0).id })
    await say(scope, session, 'other two', 'other three')
    await scope.branches.edit(session.id, nth(messages, 0).id, says('better one'))
    const all = await collect(scope.messages.iterate(session.id, { branches: 'all' }))
    expect(all.map(textOf)).toEqual(['one', 'two', 'other two', 'other three', 'better one'])
  },

  'iterate over all branches of a fork leaves out what its source owns': async ({ scope }) => {
    const { fork } = await forkedThread(scope)
    const all = await collect(scope.messages.iterate(fork.id, { branches: 'all' }))
    expect(all.map(textOf)).toEqual(numbered(10).slice(5))
  },

  'iterate over what is not there is not_found': async ({ scope }) => {
    const session = await scope.sessions.create()
    await refused('not_found', collect(scope.messages.iterate('never')))
    await refused('not_found', collect(scope.messages.iterate('never', { branches: 'all' })))
    await refused('not_found', collect(scope.messages.iterate(session.id, { branch: 'never' })))
  },

  'order is the order of positions, also when all times are equal or run backwards': async ({ scope }) => {
    const session = await scope.sessions.create()
    for (const [index, createdAt] of [50, 50, 40, 30, 50, 10].entries())
      await scope.messages.append(session.id, says(`${index}`, { createdAt, id: `${'fedcba'[index]}` }))
    expect(await path(scope, session)).toEqual(['0', '1', '2', '3', '4', '5'])
    expect((await page(scope, session.id, { limit: 3 })).texts).toEqual(['3', '4', '5'])
  },
})
