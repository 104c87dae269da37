import type { Store } from '@holdfast/core'

/** All rows that a store, or one scope of it, holds. */
export async function rowsOf(store: Store, scope?: string): Promise<number> {
  const { rows } = scope === undefined ? await store.admin.stats() : await store.admin.scopes.stats(scope)
  return Object.values(rows).reduce((sum, count) => sum + count, 0)
}

/** How many rows an action adds, or removes when it is negative. */
export async function rowsAdded(store: Store, action: () => Promise<unknown>): Promise<number> {
  const before = await rowsOf(store)
  await action()
  return (await rowsOf(store)) - before
}
