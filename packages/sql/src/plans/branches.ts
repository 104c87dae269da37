import type { ActivateBranch, BranchColumns, BranchRow, CreateBranch, PatchBranch } from '@holdfast/core'
import { type Expression, sql } from 'kysely'
import { branchFields } from '../codec/branches.js'
import { written } from '../codec/columns.js'
import { type Compiled, type Compiler, compiledWhenNeeded, type Scoped, type Writing } from '../compile.js'
import { deletedShelf, shownMessage } from '../shown.js'
import { expectOne, type Plan, run } from './plan.js'
import { type HoldSession, type OfSession, sessionKey } from './session.js'

interface NewBranch extends OfSession {
  readonly branch: BranchRow
}

interface OfBranch extends Scoped {
  readonly branch: string
}

interface OwnBranch extends OfSession, OfBranch {}

interface Patch extends OfBranch {
  readonly set: BranchColumns
  readonly version: number
}

/** Adds a branch to a session that is there, after making sure that some session shows where it begins. */
export type InsertBranch = (plan: Plan, session: string, branch: BranchRow) => void

export function insertBranch(
  { traits, compile }: Compiler,
  which: string,
  keyOf: (writing: Writing<OfSession>) => Expression<number>,
): InsertBranch {
  const isFree = compile<NewBranch>(`see that the id of ${which} is free`, ({ db, scope, computed }) =>
    db
      .selectNoFrom((eb) => eb.lit(1).as('free'))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('holdfast_branches')
              .select('key')
              .where(
                'id',
                '=',
                computed((input) => input.branch.id),
              )
              .where('scope', '=', scope),
          ),
        ),
      ),
  )

  const beginning = compile<NewBranch>(`find where ${which} begins`, ({ db, scope, computed }) =>
    traits.holding(
      shownMessage(
        db,
        computed((input) => input.branch.at ?? ''),
        scope,
      ).select('m.position'),
      's',
    ),
  )

  const insert = compile<NewBranch>(`create ${which}`, (writing) => {
    const { db, scope, computed } = writing
    // Without a message to begin at these find nothing: no parent, and a path that begins at 0.
    const at = db
      .selectFrom('holdfast_messages')
      .where(
        'id',
        '=',
        computed((input) => input.branch.at ?? ''),
      )
      .where('scope', '=', scope)
    const base = sql<number>`coalesce(${at.select('position')}, 0)`
    return db
      .insertInto('holdfast_branches')
      .values({
        ...written(branchFields, (input) => input.branch, writing),
        scope,
        key: keyOf(writing),
        session: sessionKey(writing),
        parent: at.select('branch'),
        base,
        head: base,
      })
      .onConflict((conflict) => conflict.doNothing())
  })

  return (plan, session, branch) => {
    const input = { scope: plan.scope, session, branch }
    if (branch.at !== null) {
      // An id that is taken is refused first: it may be the same call again.
      expectOne(plan, isFree, input, 'id')
      expectOne(plan, beginning, input, 'at')
    }
    expectOne(plan, insert, input, 'id')
  }
}

export function planCreateBranch(compiler: Compiler, hold: HoldSession): (plan: Plan, command: CreateBranch) => void {
  const insert = insertBranch(compiler, 'a branch', ({ scope }) => compiler.traits.nextKey('holdfast_branches', scope))
  const makeActive = activateBranch(compiler)
  return (plan, { session, branch, activate }) => {
    hold(plan, session)
    insert(plan, session, branch)
    if (activate) run(plan, makeActive, { scope: plan.scope, session, branch: branch.id })
  }
}

export function planActivateBranch(
  compiler: Compiler,
  hold: HoldSession,
): (plan: Plan, command: ActivateBranch) => void {
  const makeActive = activateBranch(compiler)
  const belongs = compiler.compile<OwnBranch>('find a branch of a session', (writing) =>
    ownBranch(writing).where('session', '=', sessionKey(writing)),
  )
  return (plan, { session, branch }) => {
    const input = { scope: plan.scope, session, branch }
    hold(plan, session)
    expectOne(plan, belongs, input, 'branch')
    run(plan, makeActive, input)
  }
}

function activateBranch({ compile }: Compiler): Compiled<OwnBranch> {
  return compile<OwnBranch>('activate a branch', (writing) =>
    writing.db
      .updateTable('holdfast_sessions')
      .set({ active_branch: ownBranch(writing) })
      .where('id', '=', writing.slot('session'))
      .where('scope', '=', writing.scope),
  )
}

function ownBranch<Input extends OfBranch>({ db, scope, slot }: Writing<Input>) {
  return db.selectFrom('holdfast_branches').select('key').where('id', '=', slot('branch')).where('scope', '=', scope)
}

export function planPatchBranch({ traits, compile }: Compiler): (plan: Plan, command: PatchBranch) => void {
  const found = compile<OfBranch>('find a branch of a session that is there', ({ db, scope, slot }) =>
    traits.holding(
      db
        .selectFrom('holdfast_branches as b')
        .innerJoin('holdfast_sessions as s', (join) =>
          join.onRef('s.scope', '=', 'b.scope').onRef('s.key', '=', 'b.session'),
        )
        .select('b.key')
        .where('b.id', '=', slot('branch'))
        .where('b.scope', '=', scope)
        .where('s.shelf', '<', deletedShelf),
      's',
    ),
  )
  const patch = compiledWhenNeeded<Patch>((form, { set }) =>
    compile<Patch>(`patch a branch: ${form}`, (writing) =>
      writing.db
        .updateTable('holdfast_branches')
        .set(
          written(
            branchFields.filter(({ property }) => Object.hasOwn(set, property)),
            (input) => input.set,
            writing,
          ),
        )
        .set((eb) => ({ version: eb('version', '+', 1) }))
        .where('id', '=', writing.slot('branch'))
        .where('scope', '=', writing.scope)
        .where('version', '=', writing.slot('version')),
    ),
  )
  return (plan, { branch, set, version }) => {
    const input = { scope: plan.scope, branch, set, version }
    expectOne(plan, found, input, 'branch')
    expectOne(plan, patch(Object.keys(set).sort().join(), input), input, 'version')
  }
}
