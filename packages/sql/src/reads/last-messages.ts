import type { Call, StoredMessage } from '@holdfast/core'
import { under } from '../codec/columns.js'
import { messageColumns, messageFrom } from '../codec/messages.js'
import { bind, type Compiler, compiledWhenNeeded, type Scoped, type Writing } from '../compile.js'
import type { SqlExecutor } from '../executor.js'
import { sessionId } from '../shown.js'
import { payloadsBy } from './payloads.js'

interface Sessions extends Scoped {
  readonly sessions: readonly string[]
}

export type ReadLast = (
  scope: string,
  sessions: readonly string[],
  call: Call,
) => Promise<ReadonlyMap<string, StoredMessage>>

/** Reads the last message on the active path of many sessions, in two queries. */
export function lastMessages(executor: SqlExecutor, { compile }: Compiler): ReadLast {
  const messages = compiledWhenNeeded<Sessions>((form, { sessions }) =>
    compile<Sessions>(`read the last messages of ${form} sessions`, (writing) =>
      lastOf(writing, sessions.length)
        .innerJoin('holdfast_branches as o', (join) =>
          join.onRef('o.scope', '=', 'm.scope').onRef('o.key', '=', 'm.branch'),
        )
        .innerJoin('holdfast_sessions as s', (join) =>
          join.onRef('s.scope', '=', 'o.scope').onRef('s.key', '=', 'o.session'),
        )
        .select(under('m', messageColumns))
        .select(['a.id as asked', 'o.id as home', sessionId.as('session')]),
    ),
  )

  const payloads = compiledWhenNeeded<Sessions>((form, { sessions }) =>
    compile<Sessions>(`read the last payloads of ${form} sessions`, (writing) =>
      lastOf(writing, sessions.length)
        .innerJoin('holdfast_parts as p', (join) =>
          join
            .onRef('p.scope', '=', 'm.scope')
            .onRef('p.branch', '=', 'm.branch')
            .onRef('p.position', '=', 'm.position'),
        )
        .select(['a.id', 'p.index', 'p.chunk', 'p.payload_json'])
        .orderBy('p.index')
        .orderBy('p.chunk'),
    ),
  )

  return async (scope, sessions, call) => {
    const found = new Map<string, StoredMessage>()
    if (sessions.length === 0) return found
    const input = { scope, sessions: padded(sessions) }
    const form = String(input.sessions.length)
    const queries = [bind(messages(form, input), input), bind(payloads(form, input), input)]
    const [rows = [], parts = []] = await executor.read(queries, { scope }, call)
    const payloadsOf = payloadsBy(parts)
    for (const row of rows) {
      const [asked, branch, session] = row.slice(messageColumns.length)
      const home = { branch: String(branch), session: String(session) }
      found.set(String(asked), messageFrom(row, home, payloadsOf.get(asked) ?? []))
    }
    return found
  }
}

/** As many as the next power of two, the last one repeated, so that few statements serve every number. */
function padded(sessions: readonly string[]): readonly string[] {
  const length = 2 ** Math.ceil(Math.log2(sessions.length))
  return [...sessions, ...new Array<string>(length - sessions.length).fill(sessions.at(-1) ?? '')]
}

/**
 * The message `m` that the active path of each session `a` ends with. The parent of a branch owns the message at its
 * base, so it is the branch's own or the parent's. The sessions are found first, whatever a planner thinks of it: one
 * without statistics would rather join all that the scope has.
 */
function lastOf({ db, scope, computed }: Writing<Sessions>, count: number) {
  const asked = Array.from({ length: count }, (_, at) => computed((input) => input.sessions[at] ?? ''))
  return db
    .with(
      (cte) => cte('asked').materialized(),
      () =>
        db
          .selectFrom('holdfast_sessions')
          .select(['id', 'scope', 'active_branch'])
          .where('scope', '=', scope)
          .where('id', 'in', asked),
    )
    .selectFrom('asked as a')
    .innerJoin('holdfast_branches as b', (join) =>
      join.onRef('b.scope', '=', 'a.scope').onRef('b.key', '=', 'a.active_branch'),
    )
    .innerJoin('holdfast_messages as m', (join) =>
      join
        .onRef('m.scope', '=', 'b.scope')
        .onRef('m.position', '=', 'b.head')
        .on((eb) =>
          eb(
            'm.branch',
            '=',
            eb.case().when('b.head', '>', eb.ref('b.base')).then(eb.ref('b.key')).else(eb.ref('b.parent')).end(),
          ),
        ),
    )
}
