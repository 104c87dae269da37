import type { Store } from '@holdfast/core'
import type { PostgresStore, PostgresStoreOptions } from '@holdfast/postgres'
import type { Client } from 'pg'
import { connected, ownDatabase } from './servers.js'
import { openStore } from './stores.js'

/** A database where a host keeps orders beside the store. */
export interface PlaceWithOrders {
  readonly url: string
  readonly store: PostgresStore
  /** The host's own connection. */
  readonly client: Client
}

export async function placeWithOrders(options: Partial<PostgresStoreOptions> = {}): Promise<PlaceWithOrders> {
  const url = await ownDatabase()
  const store = await openStore({ connectionString: url, maxConnections: 3, ...options })
  const client = await connected(url)
  await client.query('create table orders (session text not null)')
  return { url, store, client }
}

export async function order(client: Client, session: string): Promise<void> {
  await client.query('insert into orders values ($1)', [session])
}

export async function ordersOf(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ session: string }>('select session from orders order by session')
  return rows.map(({ session }) => session)
}

export async function sessionsOf(store: Store, scope: string): Promise<readonly string[]> {
  const { items } = await store.scope(scope).sessions.list()
  return items.map(({ id }) => id).sort()
}
