import type { IntegrityProblem, Upkeep } from '../ports/backend.js'
import { compareUtf8 } from '../text.js'
import type { BranchRecord, MemoryData, MemoryScope } from './records.js'

export function memoryUpkeep(data: MemoryData): Upkeep {
  return {
    scopes: async (after, limit) =>
      [...data.scopes]
        .filter(([id, scope]) => scope.sessions.size > 0 && (after === undefined || compareUtf8(id, after) > 0))
        .map(([id]) => id)
        .sort(compareUtf8)
        .slice(0, limit),
    hideScope: async (scope) => data.scopes.delete(scope),
    sweep: async (only) => {
      for (const [id, scope] of data.scopes) if (only === null || only === id) sweepScope(scope)
      return false
    },
    stats: async (only) =>
      statsOf([...data.scopes].filter(([id]) => only === null || only === id).map(([, scope]) => scope)),
    integrity: async () => [...data.scopes].flatMap(([id, scope]) => problemsOf(id, scope)),
  }
}

/** Removes what no fork shows, from the newest branches to the oldest: a branch may go once its children are gone. */
function sweepScope(scope: MemoryScope): void {
  for (let removed = true; removed; ) {
    removed = false
    for (const session of scope.gone) {
      for (const branch of session.branches.toReversed()) removed = trim(scope, branch) || removed
      if (session.branches.length === 0) scope.gone.delete(session)
    }
  }
}

function trim(scope: MemoryScope, branch: BranchRecord): boolean {
  const kept = Math.max(branch.base, ...[...branch.children].map((child) => child.base))
  for (const message of branch.messages.splice(kept - branch.base)) scope.messages.delete(message.row.id)
  if (branch.children.size > 0) return false
  branch.parent?.children.delete(branch)
  scope.branches.delete(branch.row.id)
  branch.session.branches.splice(branch.session.branches.indexOf(branch), 1)
  return true
}

function statsOf(scopes: readonly MemoryScope[]) {
  const rows = { scopes: scopes.length, sessions: 0, branches: 0, messages: 0, parts: 0, labels: 0, journal: 0 }
  const sessionsByStatus: Record<string, number> = {}
  for (const scope of scopes) {
    rows.sessions += scope.sessions.size + scope.gone.size
    rows.branches += scope.branches.size
    rows.messages += scope.messages.size
    for (const message of scope.messages.values()) rows.parts += message.parts.length
    for (const { row, labels, journal } of scope.sessions.values()) {
      rows.labels += labels.tag.size + labels.folder.size + labels.participant.size
      rows.journal += journal.length
      sessionsByStatus[row.status] = (sessionsByStatus[row.status] ?? 0) + 1
    }
  }
  return { bytes: null, rows, sessionsByStatus, engine: { name: 'memory' } }
}

function problemsOf(id: string, scope: MemoryScope): readonly IntegrityProblem[] {
  const problems: IntegrityProblem[] = []
  for (const branch of scope.branches.values()) {
    if (branch.session.gone && branch.children.size === 0)
      problems.push({ kind: 'unswept', detail: `${id} ${branch.row.id}` })
    for (const [index, message] of branch.messages.entries())
      if (message.position !== branch.base + 1 + index) problems.push({ kind: 'gap', detail: `${id} ${branch.row.id}` })
  }
  for (const session of scope.sessions.values())
    for (const [index, entry] of session.journal.entries())
      if (entry.seq !== index + 1) problems.push({ kind: 'gap', detail: `${id} journal of ${session.row.id}` })
  return problems
}
