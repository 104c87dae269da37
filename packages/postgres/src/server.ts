import { HoldfastError } from '@holdfast/core'
import type { SqlRow } from '@holdfast/sql'
import type { PoolClient } from 'pg'
import type { Connections } from './connections.js'
import { sendAll } from './pipeline.js'
import { worded } from './wording.js'

const oldest = 14

/** What a store must know about a server before it speaks with it. */
export interface Server {
  /** Whether somebody stands between, who gives every transaction another connection. */
  readonly pooled: boolean
  readonly role: string
  /** Whether row-level security does not hold for the role. */
  readonly bypasses: boolean
}

const question = worded(
  `select current_setting('server_version_num')::int, pg_backend_pid(), current_user::text,
     case when r.rolsuper or r.rolbypassrls then 1 else 0 end
   from pg_roles r where r.rolname = current_user`,
  true,
)

export async function lookAtServer(connections: Connections, silenceMs: number): Promise<Server> {
  const client = await connections.borrow({ signal: undefined, retries: 0 })
  const answer = await sendAll(client, [{ wording: question, values: [] }], { named: false, silenceMs })
  // What connections are to begin with depends on the answer, so this one is not kept.
  connections.giveBack(client, true)
  if (!answer.done) throw answer.error
  const [version, process, role, bypasses]: SqlRow = answer.rows[0]?.[0] ?? []
  if (Number(version) < oldest * 10_000) {
    const found = Math.floor(Number(version) / 10_000)
    throw new HoldfastError('unsupported', `Postgres ${found} is too old: ${oldest} is the oldest that works.`, {
      entity: 'store',
    })
  }
  return { pooled: process !== announcedProcess(client), role: String(role), bypasses: bypasses === 1 }
}

/** The process that the greeting named. A pooler greets with a number of its own. */
function announcedProcess(client: PoolClient): unknown {
  return 'processID' in client ? client.processID : undefined
}
