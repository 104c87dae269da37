import { type PostgresOptions, type PostgresServer, startPostgres } from '@holdfast/servers'
import { onTestFinished } from 'vitest'

/** A server that is stopped after the test. */
export async function ownServer(options: PostgresOptions): Promise<PostgresServer> {
  const server = await startPostgres(options)
  onTestFinished(() => server.stop())
  return server
}
