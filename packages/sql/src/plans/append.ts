import type { Append, MessageRow } from '@holdfast/core'
import { type ExpressionBuilder, sql } from 'kysely'
import { written } from '../codec/columns.js'
import { messageFields } from '../codec/messages.js'
import type { Compiled, Compiler, Scoped, Writing } from '../compile.js'
import type { Found } from '../executor.js'
import { type Database, messages } from '../schema/tables.js'
import { insertFrom } from './insert.js'
import { addParts } from './parts.js'
import { expectNew, expectOne, foundByLatest, type Plan, receiptFromLatest, run } from './plan.js'
import { sessionKey } from './session.js'
import { touchSession, touchSessionOfScope } from './touch.js'

/** Where messages go: the branch named, or the active one of the session. */
interface Target extends Scoped {
  readonly session: string
  readonly branch: string | null
  /** The key of the branch, as an earlier step found it. */
  readonly branchKey: Found
}

interface Advance extends Target {
  readonly count: number
}

interface Placing extends Target {
  readonly message: MessageRow
  /** How many messages of the same append follow it. */
  readonly following: number
  /** Its position, as an earlier step found it. */
  readonly position: Found
}

interface Expected extends Advance {
  readonly after: string | null
}

/** The statements that find the branch in one of two ways. */
interface ToBranch {
  readonly advance: Compiled<Advance>
  readonly place: Compiled<Placing>
  /** For a message that leaves out all that may be left out. */
  readonly placePlain: Compiled<Placing>
  readonly isEmpty: Compiled<Advance>
  readonly endsAt: Compiled<Expected>
}

export function planAppend(compiler: Compiler): (plan: Plan, command: Append) => void {
  const touch = touchSession(compiler)
  const touchOfScope = touchSessionOfScope(compiler)
  const add = addParts(compiler)
  const { failsWhenTaken } = compiler.traits
  const toActive = toBranch(compiler, 'the active branch', activeBranch)
  const toNamed = toBranch(compiler, 'a named branch', namedBranch)

  return (plan, { session, branch, after, at, messages: appended }) => {
    const { scope } = plan
    const count = appended.length
    const { advance, place, placePlain, isEmpty, endsAt } = branch === null ? toActive : toNamed
    if (plan.scopeId !== undefined && plan.steps.length === 0)
      expectOne(plan, touchOfScope, { scope, session, at, scopeId: plan.scopeId }, 'session')
    else expectOne(plan, touch, { scope, session, at }, 'session')
    plan.held.add(session)
    plan.keys.set(session, foundByLatest(plan, 0))
    const active = foundByLatest(plan, 1)
    const advancing = { scope, session, branch, count, branchKey: active }
    // A session always has an active branch, so there is nothing to expect of it.
    if (branch === null) run(plan, advance, advancing)
    else expectOne(plan, advance, advancing, 'branch')
    receiptFromLatest(plan, ([, id, head]) => ({ branch: String(id), position: Number(head) - count + 1 }))
    const branchKey = foundByLatest(plan, 0)
    const head = foundByLatest(plan, 2)
    const target = { scope, session, branch, count, branchKey }
    if (after === null) expectOne(plan, isEmpty, target, 'after')
    else if (after !== undefined) expectOne(plan, endsAt, { ...target, after }, 'after')
    let following = count
    for (const { message, parts } of appended) {
      following--
      const position = { ...head, plus: -following }
      const placing = { scope, session, branch, branchKey, message, following, position }
      expectNew(plan, isPlain(message) ? placePlain : place, placing, 'id', failsWhenTaken)
      add(plan, message.id, parts, { branch: branchKey, position })
    }
  }
}

const plainFields = messageFields.filter(({ column }) => !messages.columns[column].nullable)
const optionalFields = messageFields.filter(({ column }) => messages.columns[column].nullable)

/** Most messages of users say nothing beyond what they must, and binding a dozen nulls takes longer than storing them. */
function isPlain(message: MessageRow): boolean {
  for (const { property } of optionalFields) if (message[property] !== null) return false
  return true
}

type Branches = ExpressionBuilder<Database, 'holdfast_branches'>
type Finding = <Input extends Target>(eb: Branches, writing: Writing<Input>) => ReturnType<Branches['and']>

const activeBranch: Finding = (eb, { db, scope, slot, chained, late }) =>
  eb.and([
    eb('holdfast_branches.scope', '=', scope),
    eb(
      'holdfast_branches.key',
      '=',
      chained
        ? sql<number>`${late('branchKey')}`
        : db
            .selectFrom('holdfast_sessions')
            .select('active_branch')
            .where('id', '=', slot('session'))
            .where('scope', '=', scope),
    ),
  ])

const namedBranch: Finding = (eb, writing) =>
  eb.and([
    eb('holdfast_branches.id', '=', writing.slot('branch')),
    eb('holdfast_branches.scope', '=', writing.scope),
    eb('holdfast_branches.session', '=', sessionKey(writing)),
  ])

function toBranch({ traits, compile }: Compiler, which: string, find: Finding): ToBranch {
  const branchOf = (writing: Writing<Placing>) =>
    writing.db.selectFrom('holdfast_branches').where((eb) => find(eb, writing))
  const insert = (writing: Writing<Placing>, fields: typeof messageFields) => {
    const { db, scope, chained, late, slot } = writing
    const values = { ...written(fields, (input) => input.message, writing), scope, revision: sql.lit(1) }
    const inserted = chained
      ? db.insertInto('holdfast_messages').values({
          ...values,
          branch: sql<number>`${late('branchKey')}`,
          position: sql<number>`${late('position')}`,
        })
      : insertFrom(writing, 'holdfast_messages', branchOf(writing), values, {
          branch: sql.ref('key'),
          position: sql`${sql.ref('head')} - ${slot('following')}`,
        })
    return traits.failsWhenTaken ? inserted : inserted.onConflict((conflict) => conflict.doNothing())
  }
  return {
    advance: compile<Advance>(`advance ${which}`, (writing) =>
      writing.db
        .updateTable('holdfast_branches')
        .set((eb) => ({
          head: eb('head', '+', writing.slot('count')),
        }))
        .where((eb) => find(eb, writing))
        .returning(['key', 'id', 'head']),
    ),

    place: compile<Placing>(`append to ${which}`, (writing) => insert(writing, messageFields)),
    placePlain: compile<Placing>(`append a plain message to ${which}`, (writing) => insert(writing, plainFields)),

    isEmpty: compile<Advance>(`see that ${which} was empty`, (writing) =>
      writing.db
        .selectFrom('holdfast_branches')
        .select('holdfast_branches.key')
        .where((eb) => find(eb, writing))
        .where('holdfast_branches.head', '=', writing.slot('count')),
    ),

    endsAt: compile<Expected>(`see where ${which} ended`, (writing) =>
      writing.db
        .selectFrom('holdfast_branches')
        .innerJoin('holdfast_messages as m', 'm.scope', 'holdfast_branches.scope')
        .select('m.position')
        .where((eb) => find(eb, writing))
        .where(
          'm.id',
          '=',
          writing.computed((input) => input.after ?? ''),
        )
        .where((eb) => {
          const ended = eb('holdfast_branches.head', '-', writing.slot('count'))
          const owner = eb
            .case()
            .when(ended, '>', eb.ref('holdfast_branches.base'))
            .then(eb.ref('holdfast_branches.key'))
            .else(eb.ref('holdfast_branches.parent'))
            .end()
          return eb.and([eb('m.position', '=', ended), eb('m.branch', '=', owner)])
        }),
    ),
  }
}
