import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PostgresVersion } from './programs.js'
import { type PostgresServer, startPostgres } from './start-postgres.js'

/** One server of each version for all test files of a run. */
export interface SharedServers {
  /** Answers `GET /18` with the URL of a server. */
  readonly address: string
  close(): Promise<void>
}

/**
 * Test files run in processes of their own, and most of them need no server, so a server is started when the first file asks
 * for it. With DATABASE_URL_TEST none is started, and that URL is the answer for every version.
 */
export async function shareServers(): Promise<SharedServers> {
  const servers = new Map<PostgresVersion, Promise<PostgresServer>>()
  const urlOf = async (version: PostgresVersion) => {
    if (process.env.DATABASE_URL_TEST) return process.env.DATABASE_URL_TEST
    const server = servers.get(version) ?? startPostgres({ version })
    servers.set(version, server)
    return (await server).url()
  }

  const desk = createServer((request, response) => {
    urlOf(request.url === '/17' ? 17 : 18).then(
      (url) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  }).listen(0, '127.0.0.1')
  await once(desk, 'listening')
  // A server that listens on a port of TCP has an address of this kind.
  const { port } = desk.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    close: async () => {
      desk.close()
      desk.closeAllConnections()
      const started = await Promise.allSettled(servers.values())
      await Promise.all(started.map((server) => server.status === 'fulfilled' && server.value.stop()))
    },
  }
}
