import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { Client } from 'pg'
import { freePort } from './free-port.js'
import { hasEnded, type Postmaster, startPostmaster } from './postmaster.js'
import { makeServerFolder, type ServerFolder } from './server-folder.js'
import { configure, initialise } from './start-postgres.js'
import { until } from './until.js'

/** Where Debian has it. The packages of npm have no program that copies a running server. */
const programs = '/usr/lib/postgresql/15'

export interface ReplicatedServer {
  readonly url: string
  kill(): Promise<void>
  stop(): Promise<void>
}

/** A primary whose commits wait until the standby has them, and the standby. */
export interface Replicated {
  readonly primary: ReplicatedServer
  readonly standby: ReplicatedServer & { promote(): Promise<void> }
}

export function hasReplication(): boolean {
  return existsSync(`${programs}/bin/pg_basebackup`)
}

const name = 'standby'

export async function startReplicated(): Promise<Replicated> {
  const password = randomBytes(12).toString('hex')
  const urlAt = (port: number) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  const settingsAt = (port: number) => ({
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
  })

  const first = makeServerFolder(programs)
  const firstPort = await freePort()
  await initialise(first, password)
  configure(first, settingsAt(firstPort))
  const primary = serverOf(first, await startPostmaster(first), urlAt(firstPort))

  const second = makeServerFolder(programs)
  const secondPort = await freePort()
  const copy = second.run(
    'pg_basebackup',
    ...['--dbname', `${urlAt(firstPort)}?application_name=${name}`, '--pgdata', second.data],
    ...['--write-recovery-conf', '--wal-method', 'stream', '--checkpoint', 'fast'],
  )
  await until(() => hasEnded(copy), 'the primary was copied')
  if (copy.exitCode !== 0) throw second.failure('The primary could not be copied')
  configure(second, settingsAt(secondPort))
  const standby = serverOf(second, await startPostmaster(second), urlAt(secondPort))

  await ask(primary.url, `alter system set synchronous_standby_names = '${name}'`)
  await ask(primary.url, 'select pg_reload_conf()')
  await untilAnswered(primary.url, `select 1 from pg_stat_replication where sync_state = 'sync'`)
  return {
    primary,
    standby: {
      ...standby,
      promote: async () => {
        await ask(standby.url, 'select pg_promote()')
        await untilAnswered(standby.url, 'select 1 where not pg_is_in_recovery()')
      },
    },
  }
}

function serverOf(folder: ServerFolder, postmaster: Postmaster, url: string): ReplicatedServer {
  return {
    url,
    kill: () => postmaster.end('SIGKILL'),
    stop: async () => {
      await postmaster.end('SIGQUIT')
      await folder.remove()
    },
  }
}

async function ask(url: string, text: string): Promise<number> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows.length
  } finally {
    await client.end()
  }
}

async function untilAnswered(url: string, text: string): Promise<void> {
  let answered = false
  let asking = false
  await until(() => {
    if (!asking) {
      asking = true
      ask(url, text)
        .then((rows) => {
          answered = rows > 0
        })
        .finally(() => {
          asking = false
        })
    }
    return answered
  }, `the answer was a row: ${text}`)
}
