import { randomBytes } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDatabase, execute } from './databases.js'
import { freePort } from './free-port.js'
import { hasEnded, startPostmaster } from './postmaster.js'
import { type PostgresVersion, programsOf } from './programs.js'
import { makeServerFolder, type ServerFolder } from './server-folder.js'
import { until } from './until.js'

export interface PostgresOptions {
  readonly version: PostgresVersion
  /** Lines of `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Commits wait until they are on disk, as servers do unless told otherwise. Here the default is not to, for speed. */
  readonly durable?: boolean
}

/** A server of its own, which does not outlive the process that started it. */
export interface PostgresServer {
  readonly version: PostgresVersion
  readonly host: string
  readonly port: number
  /** Of the role `postgres`, which may do everything. */
  readonly password: string
  /** Holds `data` and `log`, and is owned by the account that the server runs under. */
  readonly folder: string
  /** Of the first process. After a restart it is another one. */
  readonly pid: number
  /** By default for the database `postgres` and the role `postgres`. */
  url(database?: string, role?: { readonly user: string; readonly password: string }): string
  /** Runs statements as the role `postgres`, in the database `postgres`. */
  run(statements: string): Promise<void>
  /** Returns the URL of the new database. */
  createDatabase(name: string): Promise<string>
  /**
   * SIGKILL ends all processes of the server at once. SIGSTOP halts all of them until SIGCONT. SIGINT is Postgres' fast
   * shutdown, and SIGQUIT its immediate one. After a signal that ends it, it has ended when the promise resolves.
   */
  kill(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGINT' | 'SIGQUIT'): Promise<void>
  /** Starts it again with its port and data, and waits until it accepts connections. If it runs, it is shut down first. */
  restart(): Promise<void>
  /** Ends it, in whatever state it is, and removes its folder. */
  stop(): Promise<void>
}

const host = '127.0.0.1'

/** Makes a server from nothing and starts it. */
export async function startPostgres({
  version,
  settings = {},
  durable = false,
}: PostgresOptions): Promise<PostgresServer> {
  const folder = makeServerFolder(programsOf(version))
  try {
    const port = await freePort()
    const password = randomBytes(12).toString('hex')
    // In the server's folder and gone with it, where other kinds of shared memory stay when the server is killed.
    await initialise(folder, password, '--set', 'dynamic_shared_memory_type=mmap')
    configure(folder, {
      port: String(port),
      listen_addresses: host,
      unix_socket_directories: '',
      max_connections: '200',
      ...(!durable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
      ...settings,
    })
    let postmaster = await startPostmaster(folder)

    const url: PostgresServer['url'] = (database = 'postgres', role = { user: 'postgres', password }) => {
      const credentials = `${encodeURIComponent(role.user)}:${encodeURIComponent(role.password)}`
      return `postgres://${credentials}@${host}:${port}/${encodeURIComponent(database)}`
    }
    return {
      version,
      host,
      port,
      password,
      folder: folder.path,
      get pid() {
        return postmaster.pid
      },
      url,
      run: (statements) => execute(url(), statements),
      createDatabase: async (name) => {
        await createDatabase(url(), name)
        return url(name)
      },
      kill: async (signal) => {
        if (signal === 'SIGSTOP') await postmaster.halt()
        else if (signal === 'SIGCONT') postmaster.proceed()
        else await postmaster.end(signal)
      },
      restart: async () => {
        await postmaster.end('SIGINT')
        postmaster = await startPostmaster(folder)
      },
      stop: async () => {
        await postmaster.end('SIGQUIT')
        await folder.remove()
      },
    }
  } catch (error) {
    await folder.remove()
    throw error
  }
}

export async function initialise(folder: ServerFolder, password: string, ...options: string[]): Promise<void> {
  const initdb = folder.run(
    'initdb',
    ...['--pgdata', folder.data, '--username', 'postgres', '--auth', 'scram-sha-256'],
    ...['--pwfile', folder.write('password', password), '--no-sync', '--encoding', 'UTF8', '--locale', 'C'],
    // Texts are sorted as in a language, as on most servers: whoever wants the order of bytes has to say so.
    ...['--locale-provider', 'icu', '--icu-locale', 'en-US'],
    ...options,
  )
  await until(() => hasEnded(initdb), 'initdb ended')
  if (initdb.exitCode !== 0) throw folder.failure('Postgres could not make its files')
}

export function configure(folder: ServerFolder, settings: Readonly<Record<string, string>>): void {
  const quoted = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${quoted(value)}\n`)
  appendFileSync(join(folder.data, 'postgresql.conf'), lines.join(''))
}
