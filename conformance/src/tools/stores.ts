import type { Scope } from '@holdfast/core'
import type { Context } from '../context.js'

/**
 * The same scope so many times, each of a store of its own where the storage can be shared: calls of one store about one
 * record wait for each other, and those of several meet.
 */
export async function scopesOf({ store, scope, open }: Context, count: number): Promise<readonly Scope[]> {
  const scopes = [scope]
  while (scopes.length < count)
    scopes.push(store.capabilities.sharing === 'none' ? scope : (await open()).scope(scope.id))
  return scopes
}
