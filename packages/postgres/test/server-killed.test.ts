import { describe, expect, it } from 'vitest'
import { seededRandom } from './support/seed.js'
import { ownServer } from './support/servers.js'
import { expectWhole, openStore } from './support/stores.js'
import { until } from './support/until.js'
import { startWriters } from './support/writers.js'

describe('a server that is killed and started again while writers write, 20 times', () => {
  it('loses nothing that was acknowledged, and stores once what was in doubt', async () => {
    const random = seededRandom('server killed')
    // Commits wait until they are written. The machine stays up, so the disk is not waited for, which takes seconds at
    // every start after a kill.
    const server = await ownServer({ durable: true, settings: { fsync: 'off' } })
    const store = await openStore({ connectionString: server.url(), connectTimeoutMs: 2_000 })
    const scope = store.scope('killed')
    const writers = startWriters(scope, await Promise.all([scope.sessions.create(), scope.sessions.create()]), 3)
    for (let cycle = 0; cycle < 20; cycle++) {
      const moment = writers.count + 1 + Math.floor(random() * 100)
      await until(() => writers.count >= moment)
      await server.kill('SIGKILL')
      await server.restart()
    }
    await writers.stop()
    await writers.expectAllStored()
    expect(writers.failures.get('outcome_unknown')).toBeGreaterThan(0)
    await expectWhole(store)
  })
})
