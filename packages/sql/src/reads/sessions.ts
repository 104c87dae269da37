import { compareUtf8, type SessionConditions, type SessionReads, type StoredSession } from '@holdfast/core'
import { under } from '../codec/columns.js'
import { sessionColumns, sessionFrom } from '../codec/sessions.js'
import { bind, type Compiler, compiledWhenNeeded, type Scoped, type Writing } from '../compile.js'
import type { SqlExecutor } from '../executor.js'
import { type Filtered, formOf, meets } from './session-conditions.js'

interface OneSession extends Scoped {
  readonly session: string
}

interface Listed extends Filtered {
  readonly order: 'newest' | 'oldest'
  readonly after: { readonly lastActivityAt: number; readonly id: string } | undefined
  readonly limit: number
}

export function sessionReads(executor: SqlExecutor, { compile }: Compiler): SessionReads {
  const one = compile<OneSession>('get a session', (writing) =>
    storedSessions(writing).select('s.digest').where('s.id', '=', writing.slot('session')),
  )

  const page = compiledWhenNeeded<Listed>((form, example) =>
    compile<Listed>(`list sessions: ${form}`, (writing) => {
      const { slot, computed } = writing
      const direction = example.order === 'newest' ? 'desc' : 'asc'
      let query = storedSessions(writing)
        .where((eb) => meets(eb, writing, example.conditions))
        .orderBy('s.last_activity_at', direction)
        .orderBy('s.id', direction)
        .limit(slot('limit'))
      if (example.after !== undefined) {
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple('s.last_activity_at', 's.id'),
            example.order === 'newest' ? '<' : '>',
            tuple(
              computed((input) => input.after?.lastActivityAt ?? 0),
              computed((input) => input.after?.id ?? ''),
            ),
          ),
        )
      }
      return query
    }),
  )

  const number = compiledWhenNeeded<Filtered>((form, example) =>
    compile<Filtered>(`count sessions: ${form}`, (writing) =>
      writing.db
        .selectFrom('holdfast_sessions as s')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('s.scope', '=', writing.scope)
        .where((eb) => meets(eb, writing, example.conditions)),
    ),
  )

  return {
    async get(scope, session, call) {
      const [rows] = await executor.read([bind(one, { scope, session })], { scope }, call)
      const row = rows?.[0]
      return row && { ...sessionFrom(row), digest: String(row.at(-1)) }
    },

    async list(scope, query, call) {
      const queries = shelvesOf(query.conditions).map((conditions) => {
        const input = { scope, ...query, conditions }
        const form = `${query.order}${query.after === undefined ? '' : ' after'} ${formOf(conditions)}`
        return bind(page(form, input), input)
      })
      const [first = [], ...others] = await executor.read(queries, { scope }, call)
      const sessions = first.map(sessionFrom)
      if (others.length === 0) return sessions
      for (const rows of others) sessions.push(...rows.map(sessionFrom))
      const sign = query.order === 'newest' ? -1 : 1
      return sessions.sort((left, right) => sign * byActivity(left, right)).slice(0, query.limit)
    },

    async count(scope, conditions, call) {
      const input = { scope, conditions }
      const [rows] = await executor.read([bind(number(formOf(conditions), input), input)], { scope }, call)
      return Number(rows?.[0]?.[0])
    },
  }
}

/** The index by activity has an order within each shelf only, so a list of all sessions is put together from both. */
function shelvesOf(conditions: SessionConditions): readonly SessionConditions[] {
  if (conditions.archived !== 'any') return [conditions]
  return [
    { ...conditions, archived: 'no' },
    { ...conditions, archived: 'only' },
  ]
}

function byActivity(left: StoredSession, right: StoredSession): number {
  return left.lastActivityAt - right.lastActivityAt || compareUtf8(left.id, right.id)
}

function storedSessions<Input extends Scoped>({ db, scope }: Writing<Input>) {
  return db
    .selectFrom('holdfast_sessions as s')
    .innerJoin('holdfast_branches as b', (join) =>
      join.onRef('b.scope', '=', 's.scope').onRef('b.key', '=', 's.active_branch'),
    )
    .select(under('s', sessionColumns))
    .select(['b.id as active_branch', 'b.head'])
    .where('s.scope', '=', scope)
}
