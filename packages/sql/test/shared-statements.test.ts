import type { Call } from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { createSqlBackend } from '../src/backend.js'
import type { Form } from '../src/compile.js'
import { postgresTraits } from '../src/dialects/postgres.js'
import { sqliteTraits } from '../src/dialects/sqlite.js'
import type { SqlExecutor, Statement } from '../src/executor.js'
import type { SqlTraits } from '../src/traits.js'
import { everyStatement } from './support/every-statement.js'

const call: Call = { signal: undefined, retries: 0 }

/** The statements that a new backend uses for one read. */
async function statementsOf(traits: SqlTraits): Promise<readonly Statement[]> {
  const used: Statement[] = []
  const executor: SqlExecutor = {
    chains: false,
    write: async () => ({ done: true, rows: [] }),
    read: async (queries) => {
      used.push(...queries.map(({ statement }) => statement))
      return queries.map(() => [])
    },
    exclusively: async () => {
      throw new Error('There is no schema here.')
    },
    close: async () => undefined,
  }
  const backend = createSqlBackend({
    executor,
    traits,
    capabilities: { backend: 'none', durable: false, sharing: 'none', exclusiveLock: false, rowLevelSecurity: false },
    classify: () => undefined,
  })
  await backend.sessions.get('workspace', 'session', call)
  return used
}

describe('backends of one dialect', () => {
  it('share what was compiled', async () => {
    const traits = postgresTraits('hosts')
    const [first] = await statementsOf(traits)
    const [second] = await statementsOf(traits)
    expect(first?.text).toContain('holdfast_sessions')
    expect(second).toBe(first)
  })

  it('share nothing with those of another', async () => {
    const [here] = await statementsOf(postgresTraits('hosts'))
    const [there] = await statementsOf(postgresTraits('guests'))
    expect(here?.text).toContain('"hosts"')
    expect(there?.text).toContain('"guests"')
  })
})

describe('the name of a statement', () => {
  const forms: readonly Form[] = [
    { scope: 'by key', chained: false },
    { scope: 'by id', chained: true },
  ]
  it.each(forms)('stands for one text: $scope, chained: $chained', async (form) => {
    for (const traits of [sqliteTraits, postgresTraits('hosts')]) {
      const texts = new Map<string, string>()
      for (const { name, text } of await everyStatement(traits, form)) {
        expect(texts.get(name) ?? text, name).toBe(text)
        texts.set(name, text)
      }
    }
  })
})
