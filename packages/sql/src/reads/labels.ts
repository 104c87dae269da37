import type { LabelKind, LabelReads } from '@holdfast/core'
import { bind, type Compiler, type Scoped } from '../compile.js'
import type { SqlExecutor } from '../executor.js'

interface OfSession extends Scoped {
  readonly session: string
  readonly kind: LabelKind
}

interface Counted extends Scoped {
  readonly kind: LabelKind
  readonly after: string
  readonly limit: number
}

export function labelReads(executor: SqlExecutor, { compile }: Compiler): LabelReads {
  const own = compile<OfSession>('list the labels of a session', ({ db, scope, slot }) =>
    db
      .selectFrom('holdfast_sessions as s')
      .innerJoin('holdfast_labels as l', (join) =>
        join.onRef('l.scope', '=', 's.scope').onRef('l.session', '=', 's.key'),
      )
      .select('l.value')
      .where('s.id', '=', slot('session'))
      .where('s.scope', '=', scope)
      .where('l.kind', '=', slot('kind'))
      .orderBy('l.value'),
  )

  const counts = compile<Counted>('count labels', ({ db, scope, slot }) =>
    db
      .selectFrom('holdfast_labels as l')
      .innerJoin('holdfast_sessions as s', (join) =>
        join.onRef('s.scope', '=', 'l.scope').onRef('s.key', '=', 'l.session'),
      )
      .select((eb) => ['l.value', eb.fn.countAll<number>().as('sessions')])
      .where('l.scope', '=', scope)
      .where('l.kind', '=', slot('kind'))
      .where('l.value', '>', slot('after'))
      .where((eb) => eb('s.shelf', '=', eb.lit(0)))
      .groupBy('l.value')
      .orderBy('l.value')
      .limit(slot('limit')),
  )

  return {
    async of(scope, session, kind, call) {
      const [rows = []] = await executor.read([bind(own, { scope, session, kind })], { scope }, call)
      return rows.map(([value]) => String(value))
    },

    async count(scope, kind, after, limit, call) {
      // Labels are never empty, so all of them come after the empty text.
      const input = { scope, kind, after: after ?? '', limit }
      const [rows = []] = await executor.read([bind(counts, input)], { scope }, call)
      return rows.map(([value, sessions]) => ({ value: String(value), sessions: Number(sessions) }))
    },
  }
}
