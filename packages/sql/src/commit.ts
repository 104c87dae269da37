import type { Call, Command, CommitResult, Receipt } from '@holdfast/core'
import type { Compiler } from './compile.js'
import type { About, SqlExecutor, SqlValue, WriteOutcome } from './executor.js'
import { type PlanCommand, planCommands } from './plans/commit.js'
import { lockInOrder, onlySession } from './plans/order.js'
import { emptyPlan, expectOne, type Plan, run } from './plans/plan.js'
import { createScope, findScope, scopeHasKey } from './plans/scopes.js'

const scopesRemembered = 10_000

export type Commit = (scope: string, commands: readonly Command[], call: Call) => Promise<CommitResult>

/**
 * Statements speak of a scope by its key, which is remembered. The first step makes sure that it is still right: another
 * process may have deleted the scope, and another may have the id now. Where no key is known statements find it
 * themselves, which is slower, but then the scope may be created by the same commit.
 */
export function createCommit(executor: SqlExecutor, byKey: Compiler, byId: Compiler): Commit {
  const planByKey = planCommands(byKey)
  const planById = planCommands(byId)
  const hasKey = scopeHasKey(byKey)
  const find = findScope(byId)
  const create = createScope(byId)
  const lockByKey = lockInOrder(byKey)
  const lockById = lockInOrder(byId)
  const keys = new Map<string, number>()

  async function commitById(scope: string, commands: readonly Command[], call: Call): Promise<CommitResult> {
    const plan = emptyPlan(scope)
    const first = commands.find((command) => command.type === 'create-session')
    if (first !== undefined) run(plan, create, { scope, at: first.session.createdAt })
    lockById(plan, commands)
    planAll(plan, commands, planById)
    run(plan, find, { scope })
    const outcome = await executor.write(plan.steps, { scope }, call)
    if (outcome.done) remember(scope, outcome.rows.at(-1)?.[0]?.[0])
    return resultOf(plan, outcome)
  }

  function remember(scope: string, key: SqlValue | undefined): void {
    if (typeof key !== 'number') return
    if (keys.size >= scopesRemembered) keys.clear()
    keys.set(scope, key)
  }

  return async (scope, commands, call) => {
    const key = keys.get(scope)
    if (key === undefined) return commitById(scope, commands, call)
    const plan = emptyPlan(key, scope)
    // An append sees to the scope itself: it is what happens most, and one statement less is worth it.
    if (commands[0]?.type !== 'append') expectOne(plan, hasKey, { scope: key, id: scope }, 'session')
    lockByKey(plan, commands)
    planAll(plan, commands, planByKey)
    const outcome = await executor.write(plan.steps, aboutOf(scope, commands), call)
    if (outcome.done || outcome.step > 0) return resultOf(plan, outcome)
    keys.delete(scope)
    return commitById(scope, commands, call)
  }
}

function aboutOf(scope: string, commands: readonly Command[]): About {
  const session = onlySession(commands)
  return session === undefined ? { scope } : { scope, session }
}

function planAll(plan: Plan, commands: readonly Command[], planCommand: PlanCommand): void {
  for (const command of commands) {
    planCommand(plan, command)
    plan.command++
  }
}

function resultOf(plan: Plan, outcome: WriteOutcome): CommitResult {
  if (outcome.done) {
    const receipts: Receipt[] = []
    for (let command = 0; command < plan.command; command++) receipts.push(plan.receipts[command]?.(outcome.rows) ?? {})
    return { committed: true, receipts }
  }
  const refusal = plan.refusals[outcome.step]
  if (refusal === undefined) throw new TypeError('An executor named a step that expects nothing.')
  return { committed: false, ...refusal }
}
