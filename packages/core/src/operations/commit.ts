import { mostUsage, type Usage, usageFields } from '../model/usage.js'
import type { AddUsage, Command, CommitResult } from '../ports/commands.js'
import type { SessionRow } from '../ports/rows.js'
import type { Work } from '../work.js'

/** What a backend says, or that a session would have spent more than can be added up exactly. */
export type Outcome =
  | CommitResult
  | { readonly committed: false; readonly command: number; readonly expectation: 'usage' }

/** What is spent in one go is usually far below it. Up to it nobody looks at the sum, which costs a read. */
const unusual = 1e10

/** Commits what was drafted or decided. */
export function commit(work: Work, commands: readonly Command[]): Promise<Outcome> {
  const spends = commands.some((command) => command.type === 'add-usage' && isUnusual(command.usage))
  return spends ? commitWithinSums(work, commands) : work.backend.commit(work.scope, commands, work)
}

function isUnusual(usage: Usage): boolean {
  return usageFields.some((field) => usage[field] > unusual)
}

/** One after the other, so that two of one store do not both find room for what only one may spend. */
function commitWithinSums(work: Work, commands: readonly Command[]): Promise<Outcome> {
  return work.tools.lines.inTurn(`${work.scope}\u0000usage`, work.signal, async () => {
    const sums = new Map<string, Usage>()
    for (const [command, each] of commands.entries()) {
      if (each.type === 'create-session') sums.set(each.session.id, usageOf(each.session))
      if (each.type !== 'add-usage') continue
      const before = sums.get(each.session) ?? (await storedUsage(work, each))
      // Whoever writes to what is not there is refused by the backend.
      if (before === undefined) continue
      const sum = sumOf(before, each.usage)
      if (usageFields.some((field) => sum[field] > mostUsage))
        return { committed: false, command, expectation: 'usage' }
      sums.set(each.session, sum)
    }
    return work.backend.commit(work.scope, commands, work)
  })
}

async function storedUsage(work: Work, { session }: AddUsage): Promise<Usage | undefined> {
  const row = await work.backend.sessions.get(work.scope, session, work)
  return row && usageOf(row)
}

type UsageColumns = Pick<SessionRow, `usage${Capitalize<keyof Usage>}`>

function usageOf(row: UsageColumns): Usage {
  return {
    input: row.usageInput,
    output: row.usageOutput,
    reasoning: row.usageReasoning,
    cacheRead: row.usageCacheRead,
    cacheWrite: row.usageCacheWrite,
    total: row.usageTotal,
    cost: row.usageCost,
  }
}

function sumOf(left: Usage, right: Usage): Usage {
  const sum = { ...left }
  for (const field of usageFields) sum[field] += right[field]
  return sum
}
