import { type Expression, type QueryCreator, type SqlBool, sql } from 'kysely'
import { under } from '../codec/columns.js'
import { messageColumns } from '../codec/messages.js'
import type { Compiled, Compiler, Scoped, Writing } from '../compile.js'
import type { Found } from '../executor.js'
import type { Database } from '../schema/tables.js'
import { sessionId } from '../shown.js'

/** Where the stretch lies in its branch, as `segments` found it; only where statements are chained. */
export interface Bounds {
  readonly foundScope: Found
  readonly foundKey: Found
  readonly foundLow: Found
  readonly foundHigh: Found
}

/** A stretch of a path: the last `limit` of the positions above `low` and up to `high`. */
export interface Stretch extends Scoped, Bounds {
  readonly session: string
  /** Null for the active branch. */
  readonly branch: string | null
  readonly low: number
  readonly high: number
  readonly limit: number
  /** Payloads are read only when all of them together are not larger. */
  readonly size: number
}

export interface PathStatements {
  /**
   * The branches that the stretch lies in: (depth, id, session, head, low, high, whether the stretch goes on in the
   * parent, scope, key). The branch itself has depth 0.
   */
  readonly segments: Compiled<Stretch>
  /** The columns of the messages. */
  readonly messages: Compiled<Stretch>
  /** (position, chunk, payload) of their parts, and their index where they come in no order. */
  readonly payloads: Compiled<Stretch>
  /** (position, size) of the messages, for a page that is too large. */
  readonly sizes: Compiled<Stretch>
}

/**
 * Whether the statements see only what the branch itself owns of the stretch, in order, or also what its ancestors do,
 * in no order: to sort would move the payloads about.
 */
export type Reach = 'own' | 'whole'

export function pathStatements(compiler: Compiler, branch: 'active' | 'named', reach: Reach): PathStatements {
  const { compile } = compiler
  const of = reach === 'own' ? branch : `whole ${branch}`
  const path = (writing: Writing<Stretch>) =>
    reach === 'own' ? ownPath(compiler, writing, branch) : wholePath(compiler, writing, branch)
  const segments = compile<Stretch>(`walk up the ${of} branch`, (writing) =>
    path(writing)
      .selectFrom('path')
      .innerJoin('holdfast_branches as b', (join) =>
        join.onRef('b.scope', '=', 'path.scope').onRef('b.key', '=', 'path.key'),
      )
      .innerJoin('holdfast_sessions as s', (join) =>
        join.onRef('s.scope', '=', 'b.scope').onRef('s.key', '=', 'b.session'),
      )
      .select(['path.depth', 'b.id', sessionId.as('session'), 'b.head', 'path.low', 'path.high'])
      .select((eb) => eb.case().when('path.base', '>', eb.ref('path.bottom')).then(1).else(0).end().as('goes_on'))
      .select(['path.scope', 'path.key']),
  )
  return { segments, ...(reach === 'own' ? ownRows(compiler, branch) : wholeRows(compiler, branch)) }
}

type RowStatements = Omit<PathStatements, 'segments'>

/** One branch is looked up once, so that its rows are a range of a key and come in its order. */
function ownRows(compiler: Compiler, branch: 'active' | 'named'): RowStatements {
  const { compile } = compiler
  // Chained statements know the stretch already. The path is named in plain SQL only, so its type does not matter.
  const along = (writing: Writing<Stretch>): QueryCreator<Database> =>
    writing.chained ? writing.db : (ownPath(compiler, writing, branch) as unknown as QueryCreator<Database>)
  return {
    messages: compile<Stretch>(`read messages of the ${branch} branch`, (writing) =>
      along(writing)
        .selectFrom('holdfast_messages as m')
        .select(under('m', messageColumns))
        .where(inStretch(writing, 'm'))
        .orderBy('m.position'),
    ),

    payloads: compile<Stretch>(`read payloads of the ${branch} branch`, (writing) =>
      along(writing)
        .selectFrom('holdfast_parts as p')
        .select(['p.position', 'p.chunk', 'p.payload_json'])
        .where(inStretch(writing, 'p'))
        .where(({ eb, selectFrom }) =>
          eb(
            selectFrom('holdfast_messages as m').select(totalSize).where(inStretch(writing, 'm')),
            '<=',
            writing.slot('size'),
          ),
        )
        .orderBy('p.position')
        .orderBy('p.index')
        .orderBy('p.chunk'),
    ),

    sizes: compile<Stretch>(`read sizes of the ${branch} branch`, (writing) =>
      along(writing)
        .selectFrom('holdfast_messages as m')
        .select(['m.position', 'm.size'])
        .where(inStretch(writing, 'm')),
    ),
  }
}

/** The range of a key that the one segment of the path stands for. */
function inStretch({ chained, late }: Writing<Stretch>, table: 'm' | 'p') {
  const is = (column: string, how: string, bound: keyof Segment, found: keyof Bounds) =>
    sql`${sql.ref(`${table}.${column}`)} ${sql.raw(how)} ${chained ? late(found) : sql`(select ${sql.ref(bound)} from path)`}`
  const bounds = [
    is('scope', '=', 'scope', 'foundScope'),
    is('branch', '=', 'key', 'foundKey'),
    is('position', '>', 'low', 'foundLow'),
    is('position', '<=', 'high', 'foundHigh'),
  ]
  return sql<SqlBool>`${sql.join(bounds, sql` and `)}`
}

const totalSize = sql<number>`coalesce(sum(${sql.ref('m.size')}), 0)`.as('size')

/** A cross join is walked from left to right, so that rows are found by their keys. */
function wholeRows(compiler: Compiler, branch: 'active' | 'named'): RowStatements {
  const { compile } = compiler
  const along = (writing: Writing<Stretch>) => wholePath(compiler, writing, branch)
  return {
    messages: compile<Stretch>(`read messages of the whole ${branch} branch`, (writing) =>
      along(writing)
        .selectFrom('path')
        .crossJoin('holdfast_messages as m')
        .select(under('m', messageColumns))
        .whereRef('m.scope', '=', 'path.scope')
        .whereRef('m.branch', '=', 'path.key')
        .whereRef('m.position', '>', 'path.low')
        .whereRef('m.position', '<=', 'path.high'),
    ),

    payloads: compile<Stretch>(`read payloads of the whole ${branch} branch`, (writing) =>
      along(writing)
        .selectFrom('path')
        .crossJoin('holdfast_parts as p')
        .select(['p.position', 'p.chunk', 'p.payload_json', 'p.index'])
        .whereRef('p.scope', '=', 'path.scope')
        .whereRef('p.branch', '=', 'path.key')
        .whereRef('p.position', '>', 'path.low')
        .whereRef('p.position', '<=', 'path.high')
        .where(({ eb, selectFrom }) =>
          eb(
            selectFrom('path')
              .crossJoin('holdfast_messages as m')
              .select(totalSize)
              .whereRef('m.scope', '=', 'path.scope')
              .whereRef('m.branch', '=', 'path.key')
              .whereRef('m.position', '>', 'path.low')
              .whereRef('m.position', '<=', 'path.high'),
            '<=',
            writing.slot('size'),
          ),
        ),
    ),

    sizes: compile<Stretch>(`read sizes of the whole ${branch} branch`, (writing) =>
      along(writing)
        .selectFrom('path')
        .crossJoin('holdfast_messages as m')
        .select(['m.position', 'm.size'])
        .whereRef('m.scope', '=', 'path.scope')
        .whereRef('m.branch', '=', 'path.key')
        .whereRef('m.position', '>', 'path.low')
        .whereRef('m.position', '<=', 'path.high'),
    ),
  }
}

/** The branch that the stretch begins on. Of it the positions above `low` and up to `high` belong to the stretch. */
function ownPath(compiler: Compiler, writing: Writing<Stretch>, branch: 'active' | 'named') {
  return writing.db.with(
    (cte) => cte('path').materialized(),
    () => beginning(compiler, writing, branch),
  )
}

/** The segments of a path from its branch upwards, as far as the stretch reaches down. */
function wholePath(compiler: Compiler, writing: Writing<Stretch>, branch: 'active' | 'named') {
  const { greatest, least } = functions(compiler)
  return writing.db.withRecursive('path', () =>
    beginning(compiler, writing, branch).unionAll((more) =>
      more
        // The union's own table is known to it by name only.
        .selectFrom(sql<Segment>`path`.as('path'))
        .innerJoin('holdfast_branches as b', (join) =>
          join.onRef('b.scope', '=', 'path.scope').onRef('b.key', '=', 'path.parent'),
        )
        .select([
          'b.scope',
          'b.key',
          'b.parent',
          'b.base',
          sql<number>`${sql.ref('path.depth')} + 1`.as('depth'),
          'path.bottom',
          greatest(sql.ref('path.bottom'), sql.ref('b.base')).as('low'),
          least(sql.ref('path.high'), sql.ref('path.base')).as('high'),
        ])
        .whereRef('path.base', '>', 'path.bottom'),
    ),
  )
}

interface Segment {
  readonly scope: number
  readonly key: number
  readonly parent: number | null
  readonly base: number
  readonly depth: number
  readonly bottom: number
  readonly low: number
  readonly high: number
}

function functions({ traits }: Compiler) {
  const call = (name: string) => (left: Expression<number>, right: Expression<number>) =>
    sql<number>`${sql.raw(name)}(${left}, ${right})`
  return { greatest: call(traits.greatest), least: call(traits.least) }
}

/** The branch that the stretch begins on, with the part of the stretch that it owns. */
function beginning(compiler: Compiler, { db, scope, slot, computed }: Writing<Stretch>, branch: 'active' | 'named') {
  const { greatest, least } = functions(compiler)
  const high = least(sql<number>`${slot('high')}`, sql.ref('b.head'))
  const bottom = greatest(sql<number>`${slot('low')}`, sql<number>`${high} - ${slot('limit')}`)
  return db
    .selectFrom('holdfast_sessions as s')
    .innerJoin('holdfast_branches as b', (join) =>
      branch === 'active'
        ? join.onRef('b.scope', '=', 's.scope').onRef('b.key', '=', 's.active_branch')
        : join
            .onRef('b.scope', '=', 's.scope')
            .onRef('b.session', '=', 's.key')
            .on(
              'b.id',
              '=',
              computed((input) => input.branch ?? ''),
            ),
    )
    .select([
      'b.scope',
      'b.key',
      'b.parent',
      'b.base',
      sql<number>`0`.as('depth'),
      bottom.as('bottom'),
      greatest(bottom, sql.ref('b.base')).as('low'),
      high.as('high'),
    ])
    .where('s.id', '=', slot('session'))
    .where('s.scope', '=', scope)
}
