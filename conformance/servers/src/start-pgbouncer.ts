import { existsSync } from 'node:fs'
import { createConnection } from 'node:net'
import { freePort } from './free-port.js'
import { hasEnded } from './postmaster.js'
import { signal } from './processes.js'
import { makeServerFolder } from './server-folder.js'
import { until } from './until.js'

/** Where Debian has it. */
const program = '/usr/sbin/pgbouncer'

export interface PgBouncerOptions {
  readonly server: { readonly host: string; readonly port: number }
  /** Who may connect, and how PgBouncer logs in for them. */
  readonly users: readonly { readonly user: string; readonly password: string }[]
  /** How many connections to the server all clients of a database and a role share. */
  readonly poolSize: number
}

/** PgBouncer in transaction mode: every transaction of a client may have another connection to the server. */
export interface PgBouncer {
  /** The URL of a database of the server, through it. */
  url(of: string): string
  stop(): Promise<void>
}

export function hasPgBouncer(): boolean {
  return existsSync(program)
}

export async function startPgBouncer({ server, users, poolSize }: PgBouncerOptions): Promise<PgBouncer> {
  const folder = makeServerFolder('/usr')
  const port = await freePort()
  const accounts = folder.write('users', users.map(({ user, password }) => `"${user}" "${password}"\n`).join(''))
  const settings = folder.write(
    'settings',
    `[databases]
* = host=${server.host} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${accounts}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 500
`,
  )
  const bouncer = folder.run('../sbin/pgbouncer', settings)
  let answers = false
  await until(() => {
    createConnection(port, '127.0.0.1')
      .on('connect', function (this: import('node:net').Socket) {
        answers = true
        this.destroy()
      })
      .on('error', () => undefined)
    return answers || hasEnded(bouncer)
  }, 'PgBouncer accepted connections')
  if (hasEnded(bouncer) || bouncer.pid === undefined) {
    const failure = folder.failure('PgBouncer did not start')
    await folder.remove()
    throw failure
  }
  const { pid } = bouncer
  return {
    url(of) {
      const changed = new URL(of)
      changed.port = String(port)
      return changed.href
    },
    async stop() {
      signal(pid, 'SIGKILL')
      await until(() => hasEnded(bouncer), 'PgBouncer ended')
      folder.nothingRuns()
      await folder.remove()
    },
  }
}
