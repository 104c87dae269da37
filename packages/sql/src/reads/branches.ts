import type { BranchReads } from '@holdfast/core'
import type { Expression, Kysely } from 'kysely'
import { branchColumns, branchFrom } from '../codec/branches.js'
import { under } from '../codec/columns.js'
import { bind, type Compiler, type Scoped } from '../compile.js'
import type { SqlExecutor, SqlRow } from '../executor.js'
import type { Database } from '../schema/tables.js'
import { deletedShelf, sessionId } from '../shown.js'

interface OneBranch extends Scoped {
  readonly branch: string
}

interface OneSession extends Scoped {
  readonly session: string
}

export function branchReads(executor: SqlExecutor, { compile }: Compiler): BranchReads {
  const one = compile<OneBranch>('get a branch', ({ db, scope, slot }) =>
    storedBranches(db, scope).where('b.id', '=', slot('branch')).where('s.shelf', '<', deletedShelf),
  )

  const own = compile<OneSession>('list the branches of a session', ({ db, scope, slot }) =>
    storedBranches(db, scope).where('s.id', '=', slot('session')),
  )

  const ancestors = compile<OneSession>('list the ancestors of the branches of a session', ({ db, scope, slot }) => {
    const session = db
      .selectFrom('holdfast_sessions as o')
      .select('o.key')
      .where('o.id', '=', slot('session'))
      .where('o.scope', '=', scope)
    const line = db
      .withRecursive('line', (query) =>
        query
          .selectFrom('holdfast_branches as c')
          .select('c.parent as key')
          .where('c.scope', '=', scope)
          .where('c.session', '=', session)
          .union((more) =>
            more
              .selectFrom('line')
              .crossJoin('holdfast_branches as c')
              .select('c.parent as key')
              .where('c.scope', '=', scope)
              .whereRef('c.key', '=', 'line.key'),
          ),
      )
      .selectFrom('line')
      .select('line.key')
    return storedBranches(db, scope).where('b.key', 'in', line).where('b.session', '<>', session)
  })

  return {
    async get(scope, branch, call) {
      const [rows] = await executor.read([bind(one, { scope, branch })], { scope }, call)
      return rows?.[0] && branchFrom(rows[0])
    },

    async family(scope, session, call) {
      const input = { scope, session }
      const [members = [], elders = []] = await executor.read(
        [bind(own, input), bind(ancestors, input)],
        { scope },
        call,
      )
      return [...[...members].sort(byKey), ...elders].map(branchFrom)
    },
  }
}

/** Keys are given out in the order of creation. A database that sorts by them would read all branches of the scope. */
function byKey(left: SqlRow, right: SqlRow): number {
  return Number(left.at(-1)) - Number(right.at(-1))
}

function storedBranches(db: Kysely<Database>, scope: Expression<number>) {
  return db
    .selectFrom('holdfast_branches as b')
    .innerJoin('holdfast_sessions as s', (join) =>
      join.onRef('s.scope', '=', 'b.scope').onRef('s.key', '=', 'b.session'),
    )
    .leftJoin('holdfast_branches as p', (join) => join.onRef('p.scope', '=', 'b.scope').onRef('p.key', '=', 'b.parent'))
    .select(under('b', branchColumns))
    .select((eb) => [
      'b.id',
      'p.id as parent',
      sessionId.as('session'),
      eb.case().when('s.shelf', '=', eb.lit(deletedShelf)).then(eb.lit(1)).else(eb.lit(0)).end().as('gone'),
      eb.case().when('s.active_branch', '=', eb.ref('b.key')).then(eb.lit(1)).else(eb.lit(0)).end().as('active'),
      'b.key',
    ])
    .where('b.scope', '=', scope)
}
