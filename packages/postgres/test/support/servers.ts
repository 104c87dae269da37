import {
  dropReplies,
  type PostgresOptions,
  type PostgresServer,
  postgresDatabase,
  type ReplyDropper,
  startPostgres,
} from '@holdfast/servers'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'

/** A server of the test's own, which it may harm. It ends with the test. */
export async function ownServer(options: Omit<PostgresOptions, 'version'> = {}): Promise<PostgresServer> {
  const server = await startPostgres({ version: 18, ...options })
  onTestFinished(() => server.stop())
  return server
}

/** The URL of a database of the test's own, on the server that all tests share. */
export async function ownDatabase(): Promise<string> {
  const database = await postgresDatabase(18)
  onTestFinished(() => database.drop())
  return database.url
}

/** A way to a database on which replies can be lost. */
export async function ownProxy(url: string): Promise<ReplyDropper> {
  const { hostname, port } = new URL(url)
  const proxy = await dropReplies({ host: hostname, port: Number(port || 5432) })
  onTestFinished(() => proxy.close())
  return proxy
}

/** A connection beside those of the store. */
export async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  onTestFinished(() => client.end())
  await client.connect()
  return client
}
