import type { Call } from '@holdfast/core'
import { bind, type Compiled, type Compiler, type Scoped, type WritingAcross } from '../compile.js'
import type { About, SqlExecutor } from '../executor.js'
import { sweepScope } from './sweep-scope.js'
import { sweepSession } from './sweep-session.js'

export type Sweep = (scope: string | null, rows: number, call: Call) => Promise<boolean>

/** Removes what nothing shows, in transactions that are each as short as the number of rows says. */
export function sweeping(executor: SqlExecutor, byKey: Compiler, byId: Compiler): Sweep {
  const ofSession = sweepSession(executor, byKey)
  const ofScope = sweepScope(executor, byKey)

  const hidden = byKey.compileAcross<object>('find a hidden scope', ({ db }) =>
    db.selectFrom('holdfast_scopes').select('key').where('id', 'is', null).limit(1),
  )
  const deleted = byKey.compileAcross<object>('find a deleted session', (writing) => unswept(writing))
  const deletedIn = byId.compile<Scoped>('find a deleted session of a scope', (writing) =>
    unswept(writing).where('scope', '=', writing.scope),
  )

  async function first<Input>(statement: Compiled<Input>, input: Input, about: About, call: Call) {
    const [[row] = []] = await executor.read([bind(statement, input)], about, call)
    return row?.map(Number)
  }

  /** One bite of what is left, and how many rows it took; undefined when nothing is left. */
  async function bite(scope: string | null, rows: number, call: Call): Promise<number | undefined> {
    const about = { scope }
    const [scopeKey] = (scope === null ? await first(hidden, {}, about, call) : undefined) ?? []
    if (scopeKey !== undefined) return ofScope(scopeKey, rows, call)
    const found =
      scope === null ? await first(deleted, {}, about, call) : await first(deletedIn, { scope }, about, call)
    const [inScope, session] = found ?? []
    if (inScope === undefined || session === undefined) return undefined
    return ofSession({ scope: inScope, session }, rows, about, call)
  }

  return async (scope, rows, call) => {
    let left = rows
    while (left > 0) {
      const taken = await bite(scope, left, call)
      if (taken === undefined) return false
      left -= taken
    }
    return true
  }
}

function unswept<Input>({ db }: WritingAcross<Input>) {
  return db.selectFrom('holdfast_sessions').select(['scope', 'key']).where('unswept', 'is not', null).limit(1)
}
