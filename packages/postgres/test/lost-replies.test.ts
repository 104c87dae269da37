import { type HoldfastError, isHoldfastError, type Scope } from '@holdfast/core'
import type { ReplyDropper } from '@holdfast/servers'
import { describe, expect, it } from 'vitest'
import { ownDatabase, ownProxy } from './support/servers.js'
import { expectWhole, openStore, saying, textOf, threadOf } from './support/stores.js'

async function storeBehindProxy() {
  const url = await ownDatabase()
  const proxy = await ownProxy(url)
  // With two connections there is one lane for writes, so that those that come together are committed together.
  const store = await openStore({ connectionString: proxy.url(url), maxConnections: 2 })
  return { proxy, store, scope: store.scope('lost') }
}

/** Stands among the values of every write whose reply is lost. */
const mark = '7654321'

/** The error of a call whose write takes place, and whose reply is lost. */
async function withoutReply(proxy: ReplyDropper, call: () => Promise<unknown>): Promise<HoldfastError> {
  const cut = proxy.cut(({ type, body }) => type === 'B' && body.includes(mark))
  const [error] = await Promise.all([errorOf(call()), cut])
  return error
}

async function errorOf(call: Promise<unknown>): Promise<HoldfastError> {
  const error = await call.then(
    () => new Error('The call succeeded.'),
    (reason: unknown) => reason,
  )
  if (!isHoldfastError(error)) throw error
  return error
}

/** The same call with the ids that its error names, or without. */
type Repeatable = (scope: Scope, session: string, ids: readonly string[]) => Promise<unknown>

const optional = (id: string | undefined) => (id === undefined ? {} : { id })

const calls: readonly (readonly [string, Repeatable])[] = [
  ['sessions.create', (scope, _, [id]) => scope.sessions.create({ title: mark, ...optional(id) })],
  ['sessions.fork', (scope, session, [id]) => scope.sessions.fork(session, { title: mark, ...optional(id) })],
  [
    'messages.appendAll',
    (scope, session, ids) => {
      const messages = ['one', mark].map((text, at) => ({ ...saying(text), ...optional(ids[at]) }))
      return scope.messages.appendAll(session, messages)
    },
  ],
  ['events.add', (scope, session, [id]) => scope.events.add(session, { type: mark, ...optional(id) })],
  ['sessions.addUsage', (scope, session, [id]) => scope.sessions.addUsage(session, { input: +mark, ...optional(id) })],
]

/** All that those calls could do twice. */
async function contentsOf(scope: Scope, session: string): Promise<unknown> {
  const { items: sessions } = await scope.sessions.list()
  return { sessions, thread: await threadOf(scope, session), journal: await scope.events.list(session) }
}

describe('a write whose reply is lost', () => {
  it('is outcome_unknown, names the id it minted, and is stored once when repeated with it, 100 of 100', async () => {
    const { proxy, store, scope } = await storeBehindProxy()
    const session = await scope.sessions.create()
    const ids: string[] = []
    for (let time = 0; time < 100; time++) {
      const error = await withoutReply(proxy, () => scope.messages.append(session.id, saying(mark)))
      expect(error).toMatchObject({ code: 'outcome_unknown', retryable: true, operation: 'messages.append' })
      expect(error.ids).toHaveLength(1)
      const [id = ''] = error.ids ?? []
      expect(await scope.messages.append(session.id, { ...saying(mark), id })).toMatchObject({ position: time + 1 })
      ids.push(id)
    }
    expect((await threadOf(scope, session.id)).map(({ id }) => id)).toEqual(ids)
    await expectWhole(store)
  })

  it('converges also when the replies to its repetitions are lost', async () => {
    const { proxy, scope } = await storeBehindProxy()
    const session = await scope.sessions.create()
    const first = await withoutReply(proxy, () => scope.messages.append(session.id, saying(mark)))
    const [id = ''] = first.ids ?? []
    for (let time = 0; time < 5; time++) {
      const again = await withoutReply(proxy, () => scope.messages.append(session.id, { ...saying(mark), id }))
      // The id is the caller's now, so that there is none to name.
      expect(again).toMatchObject({ code: 'outcome_unknown', ids: [] })
    }
    await scope.messages.append(session.id, { ...saying(mark), id })
    expect((await threadOf(scope, session.id)).map((message) => message.id)).toEqual([id])
  })

  it.each(calls)('does not happen twice when repeated with the ids of its error: %s', async (operation, call) => {
    const { proxy, store, scope } = await storeBehindProxy()
    const session = await scope.sessions.create()
    await scope.messages.append(session.id, saying('before'))
    const error = await withoutReply(proxy, () => call(scope, session.id, []))
    expect(error).toMatchObject({ code: 'outcome_unknown', operation })
    const after = await contentsOf(scope, session.id)
    await call(scope, session.id, error.ids ?? [])
    expect(await contentsOf(scope, session.id)).toEqual(after)
    await expectWhole(store)
  })

  it('leaves each of several that were committed together in doubt, with its own id', async () => {
    const { proxy, store, scope } = await storeBehindProxy()
    const sessions = await Promise.all([scope.sessions.create(), scope.sessions.create()])
    const planned = Array.from({ length: 10 }, (_, at) => ({ session: sessions[at % 2]?.id ?? '', text: `${at}` }))
    let answers = 0
    // The first write finds the lane free and goes alone. The others wait for it, and share the second message.
    const cut = proxy.cut(({ type }) => type === 'S' && ++answers === 2)
    const [first, ...others] = planned.map(({ session, text }) => scope.messages.append(session, saying(text)))
    const errors = await Promise.all(others.map(errorOf))
    await Promise.all([first, cut])
    expect(errors.map(({ code }) => code)).toEqual(others.map(() => 'outcome_unknown'))
    expect(new Set(errors.flatMap(({ ids }) => ids)).size).toBe(others.length)

    const repeated = planned.slice(1).map(({ session, text }, at) => {
      const [id = ''] = errors[at]?.ids ?? []
      return scope.messages.append(session, { ...saying(text), id })
    })
    await Promise.all(repeated)
    const stored = (await Promise.all(sessions.map(({ id }) => threadOf(scope, id)))).flat()
    expect(stored.map(textOf).sort()).toEqual(planned.map(({ text }) => text))
    await expectWhole(store)
  })
})
