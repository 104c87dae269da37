import { describeConformance, type Harness } from '@holdfast/conformance'
import { createStore, systemClock } from '@holdfast/core'
import { createSqlBackend, migrate, sqliteTraits } from '@holdfast/sql'
import { classify } from '../src/classify.js'
import { connect } from '../src/connection.js'
import { loadDriver } from '../src/driver.js'
import { createSqliteExecutor } from '../src/executor.js'

/**
 * What engines in other processes do: no statement takes a value from an earlier one, and a long payload is cut into
 * several rows. The statements are others than the ones this adapter uses, and must mean the same.
 */
const harness: Harness = {
  name: 'sqlite as if it were remote',
  place: async () => ({
    token: ':memory:',
    open: async (options) => {
      const connected = createSqliteExecutor(connect(await loadDriver(), ':memory:', false), 5_000)
      const executor = { ...connected, chains: false }
      await migrate(executor, sqliteTraits, { clock: systemClock, backup: async () => {} })
      const backend = createSqlBackend({
        executor,
        traits: { ...sqliteTraits, chunkCharacters: 100_000 },
        classify,
        capabilities: {
          backend: 'sqlite',
          durable: false,
          sharing: 'none',
          exclusiveLock: false,
          rowLevelSecurity: false,
        },
      })
      return createStore(backend, options)
    },
    remove: async () => undefined,
  }),
}

describeConformance(harness)
