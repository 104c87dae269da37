import { sql } from 'kysely'
import type { Compiled, Compiler, Scoped } from '../compile.js'

interface KeyedScope extends Scoped {
  readonly id: string
}

interface NewScope extends Scoped {
  readonly at: number
}

/** The key of a scope that is there. */
export function findScope({ compile }: Compiler): Compiled<Scoped> {
  return compile<Scoped>('find a scope', ({ db, scope }) =>
    db.selectFrom('holdfast_scopes').select('key').where('key', '=', scope),
  )
}

/** Finds the scope only while the key that was remembered is still its own. */
export function scopeHasKey({ compile }: Compiler): Compiled<KeyedScope> {
  return compile<KeyedScope>('see that a scope has its key', ({ db, scope, slot }) =>
    db.selectFrom('holdfast_scopes').select('key').where('key', '=', scope).where('id', '=', slot('id')),
  )
}

/** A scope comes into being with its first session, in the same commit. The database gives it its key. */
export function createScope({ compile }: Compiler): Compiled<NewScope> {
  return compile<NewScope>('create a scope', ({ db, computed, slot }) =>
    db
      .insertInto('holdfast_scopes')
      .columns(['id', 'created_at'])
      .expression(sql`values (${computed((input) => input.scope)}, ${slot('at')})`)
      .onConflict((conflict) => conflict.doNothing()),
  )
}
