import type { Message } from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { appendPersistently, type Failures } from './support/persistence.js'
import { seededRandom } from './support/seed.js'
import { ownServer } from './support/servers.js'
import { expectWhole, openStore, saying, textOf, threadOf } from './support/stores.js'
import { until } from './support/until.js'

const cycles = 20
const writersPerSession = 3

describe('a server that is killed and started again while writers write', () => {
  it('loses nothing that was acknowledged, and stores once what was in doubt', async () => {
    const random = seededRandom('server killed')
    // Commits wait until they are written. The machine stays up, so the disk is not waited for, which takes seconds at
    // every start after a kill.
    const server = await ownServer({ durable: true, settings: { fsync: 'off' } })
    const store = await openStore({ connectionString: server.url(), connectTimeoutMs: 2_000 })
    const scope = store.scope('killed')
    const sessions = await Promise.all([scope.sessions.create(), scope.sessions.create()])
    const failures: Failures = new Map()
    const acknowledged: Message[] = []
    let enough = false

    async function write(session: string, writer: number): Promise<void> {
      for (let count = 0; !enough; count++) {
        const message = saying(`${session} ${writer} ${count}`)
        acknowledged.push(await appendPersistently(scope, session, message, failures))
      }
    }
    const writers = sessions.flatMap(({ id }) =>
      Array.from({ length: writersPerSession }, (_, writer) => write(id, writer)),
    )
    for (let cycle = 0; cycle < cycles; cycle++) {
      const moment = acknowledged.length + 1 + Math.floor(random() * 100)
      await until(() => acknowledged.length >= moment)
      await server.kill('SIGKILL')
      await server.restart()
    }
    enough = true
    await Promise.all(writers)

    const stored = (await Promise.all(sessions.map(({ id }) => threadOf(scope, id)))).flat()
    expect(new Map(stored.map((message) => [message.id, message]))).toEqual(
      new Map(acknowledged.map((message) => [message.id, message])),
    )
    // Each text once: what was in doubt is there, and was not stored again under another id.
    expect(new Set(stored.map(textOf)).size).toBe(acknowledged.length)
    expect(failures.get('outcome_unknown')).toBeGreaterThan(0)
    await expectWhole(store)
  })
})
