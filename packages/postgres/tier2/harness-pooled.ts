import type { Harness, Place } from '@holdfast/conformance'
import { openPostgresStore } from '@holdfast/postgres'
import { type PgBouncer, postgresDatabase, startPgBouncer } from '@holdfast/servers'
import { newName } from '../test/support/places.js'

/** Fewer than the clients that the suite has at once. */
const poolSize = 3

function placeAt(token: string): Place {
  const { url, schema } = JSON.parse(token)
  return {
    token,
    // Nothing says that there is a pooler: the store finds out.
    open: (options) => openPostgresStore({ ...options, connectionString: url, schema, maxConnections: 4 }),
    remove: async () => undefined,
  }
}

let bouncer: Promise<{ bouncer: PgBouncer; url: string }> | undefined

async function pooledDatabase() {
  const { url } = await postgresDatabase(18)
  const { hostname: host, port, username: user, password } = new URL(url)
  return {
    bouncer: await startPgBouncer({ server: { host, port: Number(port) }, users: [{ user, password }], poolSize }),
    url,
  }
}

export const harness: Harness = {
  name: 'postgres 18 behind PgBouncer',
  module: import.meta.url,
  async place() {
    bouncer ??= pooledDatabase()
    const { bouncer: between, url } = await bouncer
    return placeAt(JSON.stringify({ url: between.url(url), schema: newName('place') }))
  },
  placeOf: placeAt,
}
