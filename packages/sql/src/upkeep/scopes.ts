import type { Upkeep } from '@holdfast/core'
import { bind, type Compiler } from '../compile.js'
import type { SqlExecutor } from '../executor.js'
import { deletedShelf } from '../shown.js'

interface Listed {
  readonly after: string
  readonly limit: number
}

interface OneScope {
  readonly id: string
}

export function scopeUpkeep(executor: SqlExecutor, { compileAcross }: Compiler): Pick<Upkeep, 'scopes' | 'hideScope'> {
  const list = compileAcross<Listed>('list scopes', ({ db, slot }) =>
    db
      .selectFrom('holdfast_scopes as scope')
      .select('scope.id')
      .where('scope.id', '>', slot('after'))
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('holdfast_sessions as s')
            .select('s.key')
            .whereRef('s.scope', '=', 'scope.key')
            .where('s.shelf', '<', deletedShelf),
        ),
      )
      .orderBy('scope.id')
      .limit(slot('limit')),
  )
  const hide = compileAcross<OneScope>('hide a scope', ({ db, slot }) =>
    db.updateTable('holdfast_scopes').set({ id: null }).where('id', '=', slot('id')),
  )

  return {
    async scopes(after, limit, call) {
      // Scopes are never empty texts, so all of them come after it.
      const [rows = []] = await executor.read([bind(list, { after: after ?? '', limit })], { scope: null }, call)
      return rows.map(([id]) => String(id))
    },

    async hideScope(id, call) {
      const outcome = await executor.write([{ ...bind(hide, { id }), expects: 1 }], { scope: null }, call)
      return outcome.done
    },
  }
}
