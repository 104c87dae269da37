import type { Call, Command, SessionConditions } from '@holdfast/core'
import { type Compiled, createCompiler, type Form } from '../../src/compile.js'
import type { SqlExecutor } from '../../src/executor.js'
import { planCommands } from '../../src/plans/commit.js'
import { emptyPlan } from '../../src/plans/plan.js'
import { createScope, findScope, scopeHasKey } from '../../src/plans/scopes.js'
import { branchReads } from '../../src/reads/branches.js'
import { journalReads } from '../../src/reads/journal.js'
import { labelReads } from '../../src/reads/labels.js'
import { messageReads } from '../../src/reads/messages.js'
import { sessionReads } from '../../src/reads/sessions.js'
import type { SqlTraits } from '../../src/traits.js'
import { integrityCheck } from '../../src/upkeep/integrity.js'
import { scopeUpkeep } from '../../src/upkeep/scopes.js'
import { statistics } from '../../src/upkeep/stats.js'
import { sweeping } from '../../src/upkeep/sweep.js'

const call: Call = { signal: undefined, retries: 0 }

/** Holds nothing, and takes everything. */
const emptyDatabase: SqlExecutor = {
  chains: false,
  write: async () => ({ done: true, rows: [] }),
  read: async (queries) => queries.map(() => []),
  exclusively: async () => {
    throw new Error('There is no schema here.')
  },
  close: async () => undefined,
}

/** Every statement that the backend has, also those whose text depends on what is asked. */
export async function everyStatement(traits: SqlTraits, form: Form): Promise<readonly Compiled<never>[]> {
  const statements: Compiled<never>[] = []
  const compiler = createCompiler(traits, form, (statement) => statements.push(statement))

  findScope(compiler)
  scopeHasKey(compiler)
  createScope(compiler)
  const plan = planCommands(compiler)
  for (const command of patches) plan(emptyPlan('workspace'), command)

  const sessions = sessionReads(emptyDatabase, compiler)
  for (const conditions of [everyCondition, noConditions]) {
    await sessions.count('workspace', conditions, call)
    for (const order of ['newest', 'oldest'] as const) {
      await sessions.list('workspace', { conditions, order, after: undefined, limit: 1 }, call)
      await sessions.list('workspace', { conditions, order, after: { lastActivityAt: 1, id: 's' }, limit: 1 }, call)
    }
  }
  await messageReads(emptyDatabase, compiler).last('workspace', ['one', 'two', 'three'], call)
  branchReads(emptyDatabase, compiler)
  labelReads(emptyDatabase, compiler)
  journalReads(emptyDatabase, compiler)
  scopeUpkeep(emptyDatabase, compiler)
  sweeping(emptyDatabase, compiler, compiler)
  statistics(emptyDatabase, compiler)
  integrityCheck(emptyDatabase, compiler)
  return statements
}

const patches: readonly Command[] = [
  {
    type: 'patch-session',
    session: 's',
    set: { title: 'x', source: 'x', externalRef: 'x', archivedAt: 1, interactive: true },
    version: 1,
  },
  { type: 'patch-session', session: 's', set: { source: null }, version: 1 },
  { type: 'patch-session', session: 's', set: { externalRef: null }, version: 1 },
  { type: 'patch-branch', branch: 'b', set: { name: 'x', endedAt: 1 }, version: 1 },
  {
    type: 'settle-message',
    message: 'm',
    revision: 1,
    at: 1,
    set: { status: 'complete', usageJson: '{}', size: 1 },
    parts: [],
  },
]

const noConditions: SessionConditions = { equals: {}, statuses: [], archived: 'any' }

const everyCondition: SessionConditions = {
  equals: { agent: 'x', lineageSession: 'x', artifactsPath: 'x' },
  statuses: ['idle', 'running'],
  tag: 'x',
  participant: 'x',
  folder: 'x',
  descendants: true,
  titleContains: 'x',
  archived: 'no',
  activeAfter: 1,
  activeBefore: 2,
  createdAfter: 1,
  createdBefore: 2,
}
