import { openPostgresStore } from '@holdfast/postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { appendPersistently } from './support/persistence.js'
import { ownDatabase, ownProxy, ownServer } from './support/servers.js'
import { codeOf, expectWhole, openStore, saying, textOf, threadOf } from './support/stores.js'

/** Only a call that does not end takes longer. */
const endlessMs = 20_000
const limits = { connectTimeoutMs: 1_000, statementTimeoutMs: 500 }

/** Answers what a call becomes, or that it does not end. */
async function bounded<Result>(call: Promise<Result>): Promise<Result | 'endless'> {
  let timer: NodeJS.Timeout | undefined
  const endless = new Promise<'endless'>((resolve) => {
    timer = setTimeout(resolve, endlessMs, 'endless')
  })
  onTestFinished(() => clearTimeout(timer))
  return Promise.race([call, endless])
}

describe('a server that stands still', () => {
  it('fails every call within its time, and serves the same store when it goes on', async () => {
    const server = await ownServer()
    const store = await openStore({ connectionString: server.url(), maxConnections: 4, ...limits })
    const scope = store.scope('stopped')
    const session = await scope.sessions.create()
    await Promise.all([1, 2, 3].map((count) => scope.messages.append(session.id, saying(`before ${count}`))))

    await server.kill('SIGSTOP')
    const writes = [1, 2, 3, 4].map((count) => appendPersistently(scope, session.id, saying(`doubt ${count}`)))
    expect(await bounded(codeOf(scope.sessions.get(session.id)))).toMatch(/^(unavailable|timeout|busy)$/)
    expect(await bounded(codeOf(openPostgresStore({ connectionString: server.url(), ...limits })))).toBe('unavailable')

    await server.kill('SIGCONT')
    await Promise.all(writes)
    const texts = (await threadOf(scope, session.id)).map(textOf)
    const expected = ['before 1', 'before 2', 'before 3', 'doubt 1', 'doubt 2', 'doubt 3', 'doubt 4']
    expect(texts.sort()).toEqual(expected)
    await expectWhole(store)
  })

  it('leaves a write that was sent in doubt, and a repeated one is stored once although both arrive', async () => {
    const server = await ownServer()
    const store = await openStore({ connectionString: server.url(), maxConnections: 2, ...limits })
    const scope = store.scope('stopped')
    const session = await scope.sessions.create()
    await server.kill('SIGSTOP')
    const error = await bounded(scope.messages.append(session.id, saying('doubt')).catch((reason) => reason))
    expect(error).toMatchObject({ code: 'outcome_unknown', ids: [expect.stringMatching(/^msg_/)] })
    const [id] = error.ids
    // There is no connection left, and more calls than there can be connections, none of which is in use.
    const reads = Array.from({ length: 4 }, () => bounded(codeOf(scope.sessions.get(session.id))))
    expect(await Promise.all(reads)).toEqual(reads.map(() => 'unavailable'))
    await server.kill('SIGCONT')
    // The server finds the first one in its inbox when it wakes up.
    await scope.messages.append(session.id, { ...saying('doubt'), id })
    expect((await threadOf(scope, session.id)).map((message) => message.id)).toEqual([id])
    await expectWhole(store)
  })

  it.each([
    ['as soon as a connection is made', 'set statement_timeout'],
    ['at the begin of a migration', 'begin'],
    ['in the middle of a migration', 'create table'],
  ])('fails an open within its time when it stands still %s', async (_, words) => {
    const url = await ownDatabase()
    const proxy = await ownProxy(url)
    const options = { connectionString: proxy.url(url), ...limits }
    let heard = false
    // Nothing is cut: the message is only waited for.
    void proxy.cut(({ type, body }) => {
      if (heard || type !== 'Q' || !body.toString().startsWith(words)) return false
      heard = true
      proxy.pause()
      return false
    })
    expect(await bounded(codeOf(openPostgresStore(options)))).toBe('unavailable')
    proxy.resume()
    const store = await openStore(options)
    await expectWhole(store)
  })
})
