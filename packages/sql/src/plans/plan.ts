import type { Expectation, Receipt } from '@holdfast/core'
import { bind, type Compiled, type Scoped } from '../compile.js'
import type { Found, SqlRow, Step } from '../executor.js'

/** A commit on its way to the database: the steps of all its commands, and what each of them stands for. */
export interface Plan extends Scoped {
  /** The id of the scope, when its key is only remembered: then the first step must see that it still has it. */
  readonly scopeId: string | undefined
  readonly steps: Step[]
  /** Per step, what is refused when it does not affect what it must. */
  readonly refusals: (Refusal | undefined)[]
  /** Per command, how to read its receipt from what the steps returned. */
  readonly receipts: ((rows: readonly (readonly SqlRow[])[]) => Receipt)[]
  /** Sessions that an earlier step found and keeps from changing: they need not be looked up again. */
  readonly held: Set<string>
  /** The keys of sessions that an earlier step finds. */
  readonly keys: Map<string, Found>
  /** The index of the command that is being planned. */
  command: number
}

interface Refusal {
  readonly command: number
  readonly expectation: Expectation
}

export function emptyPlan(scope: number | string, scopeId?: string): Plan {
  return { scope, scopeId, steps: [], refusals: [], receipts: [], held: new Set(), keys: new Map(), command: 0 }
}

/** A step that may affect any number of rows. */
export function run<Input>(plan: Plan, statement: Compiled<Input>, input: Input): void {
  plan.steps.push(bind(statement, input))
  plan.refusals.push(undefined)
}

/** A step that must affect or find one row; when it does not, the command is refused for what it expected. */
export function expectOne<Input>(plan: Plan, statement: Compiled<Input>, input: Input, expectation: Expectation): void {
  plan.steps.push({ ...bind(statement, input), expects: 1 })
  plan.refusals.push({ command: plan.command, expectation })
}

/** The same for a row that must be new. */
export function expectNew<Input>(
  plan: Plan,
  statement: Compiled<Input>,
  input: Input,
  expectation: Expectation,
  failsWhenTaken: boolean,
): void {
  plan.steps.push({ ...bind(statement, input), expects: 1, failsWhenTaken })
  plan.refusals.push({ command: plan.command, expectation })
}

/** The receipt of the command that is being planned is in the one row which the latest step returns. */
export function receiptFromLatest(plan: Plan, read: (row: SqlRow) => Receipt): void {
  const step = plan.steps.length - 1
  plan.receipts[plan.command] = (rows) => read(rows[step]?.[0] ?? [])
}

/** What the latest step returns in a column of its one row, for steps after it. */
export function foundByLatest(plan: Plan, column: number, plus = 0): Found {
  return { step: plan.steps.length - 1, column, plus }
}
