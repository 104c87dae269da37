import type { Backend, BackendCapabilities, Sha256 } from '@holdfast/core'
import { createCommit } from './commit.js'
import { createCompiler } from './compile.js'
import type { SqlExecutor } from './executor.js'
import { branchReads } from './reads/branches.js'
import { journalReads } from './reads/journal.js'
import { labelReads } from './reads/labels.js'
import { messageReads } from './reads/messages.js'
import { sessionReads } from './reads/sessions.js'
import type { SqlTraits } from './traits.js'
import { integrityCheck } from './upkeep/integrity.js'
import { scopeUpkeep } from './upkeep/scopes.js'
import { statistics } from './upkeep/stats.js'
import { sweeping } from './upkeep/sweep.js'

export interface SqlBackendOptions {
  readonly executor: SqlExecutor
  readonly traits: SqlTraits
  readonly capabilities: BackendCapabilities
  readonly classify: Backend['classify']
  readonly sha256?: Sha256
}

/**
 * The whole contract on a database that speaks SQL. An adapter brings an executor, which runs statements, and traits,
 * which say how its dialect differs; the schema must be there.
 */
export function createSqlBackend({ executor, traits, ...facts }: SqlBackendOptions): Backend {
  const { chains: chained } = executor
  const byKey = createCompiler(traits, { scope: 'by key', chained })
  // Reads find the scope by its id each time, so they never see one that another process has deleted.
  const byId = createCompiler(traits, { scope: 'by id', chained })
  return {
    ...facts,
    commit: createCommit(executor, byKey, byId),
    sessions: sessionReads(executor, byId),
    branches: branchReads(executor, byId),
    messages: messageReads(executor, byId),
    labels: labelReads(executor, byId),
    journal: journalReads(executor, byId),
    upkeep: {
      ...scopeUpkeep(executor, byId),
      sweep: sweeping(executor, byKey, byId),
      stats: statistics(executor, byId),
      integrity: integrityCheck(executor, byId),
    },
    close: () => executor.close(),
  }
}
