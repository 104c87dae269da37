import { randomUUID } from 'node:crypto'
import type { Message, MessageInput, Part, Session } from '@holdfast/core'
import pg from 'pg'
import { messageColumns, messageOf, type Row, sessionColumns, sessionOf } from './raw-rows.js'

// What somebody writes who has one afternoon, knows Postgres well and needs this one schema: named statements, one round
// trip and one statement per append, two range scans at once per read, integer keys kept in variables. It checks nothing.

const int8 = 20
const parsers = { getTypeParser: (type: number) => (type === int8 ? Number : (text: string) => text) }

export function openRawPostgres(connectionString: string, schema: string) {
  const pool = new pg.Pool({ connectionString, max: 10 })
  const run = async (name: string, text: string, values: readonly unknown[]): Promise<Row[]> => {
    const { rows } = await pool.query({ name, text, values: [...values], rowMode: 'array', types: parsers })
    return rows
  }

  const append = `with
    s as (update ${schema}.holdfast_sessions set last_activity_at = greatest(last_activity_at, $1)
      where scope = $2 and key = $3 returning key),
    b as (update ${schema}.holdfast_branches set head = head + 1 where scope = $2 and key = $4 returning head),
    m as (insert into ${schema}.holdfast_messages
      (scope, branch, position, size, id, digest, role, status, metadata_json, created_at, updated_at, revision)
      select $2, $4, head, $5, $6, $7, $8, 'complete', '{}', $1, $1, 1 from b returning position),
    p as (insert into ${schema}.holdfast_parts
      (scope, branch, position, "index", chunk, type, tool_call_id, state, created_at, updated_at, payload_json)
      select $2, $4, m.position, u.i, 0, u.type, u.call, u.state, $1, $1, u.payload
      from m, unnest($9::bigint[], $10::text[], $11::text[], $12::text[], $13::text[]) u (i, type, call, state, payload)),
    j as (insert into ${schema}.holdfast_journal (scope, session, seq, type, message, at)
      select $2, $3, coalesce((select max(seq) from ${schema}.holdfast_journal where scope = $2 and session = $3), 0) + 1,
        'message', $6, $1 from s)
    select position from m`
  const messages = `select ${messageColumns} from ${schema}.holdfast_messages
    where scope = $1 and branch = $2 and position > $3 order by position`
  const parts = `select position, payload_json from ${schema}.holdfast_parts
    where scope = $1 and branch = $2 and position > $3 order by position, "index", chunk`
  const page = `select ${sessionColumns} from ${schema}.holdfast_sessions s
    join ${schema}.holdfast_branches b on b.scope = s.scope and b.key = s.active_branch
    where s.scope = $1 and s.shelf = 0 and (s.last_activity_at, s.id) < ($3, $4)
    order by s.last_activity_at desc, s.id desc limit $2`

  /** The integer keys, which a program of one's own keeps in a variable. */
  async function keysOf(session: string) {
    const [row] = await run(
      'keys',
      `select s.scope, s.key, s.active_branch, b.id from ${schema}.holdfast_sessions s
       join ${schema}.holdfast_branches b on b.scope = s.scope and b.key = s.active_branch where s.id = $1`,
      [session],
    )
    const [scope, key, branch, branchId] = row as [number, number, number, string]
    return { scope, key, branch, branchId, session }
  }
  type Keys = Awaited<ReturnType<typeof keysOf>>

  async function read({ scope, branch, branchId, session }: Keys, after: number): Promise<Message[]> {
    const [rows, partRows] = await Promise.all([
      run('messages', messages, [scope, branch, after]),
      run('parts', parts, [scope, branch, after]),
    ])
    let next = 0
    return rows.map((row) => {
      const own: Part[] = []
      for (let part = partRows[next]; part !== undefined && part[0] === row[0]; part = partRows[++next])
        own.push(JSON.parse(String(part[1])))
      return messageOf(row, session, branchId, own)
    })
  }

  return {
    keysOf,
    async append({ scope, key, branch }: Keys, message: MessageInput): Promise<void> {
      const payloads = message.parts.map((part) => JSON.stringify(part))
      const size = payloads.reduce((sum, { length }) => sum + length, 0)
      const fields = message.parts as readonly { type: string; toolCallId?: string; state?: string }[]
      await run('append', append, [
        Date.now(),
        scope,
        key,
        branch,
        size,
        randomUUID(),
        '0'.repeat(64),
        message.role,
        fields.map((_, index) => index),
        fields.map(({ type }) => type),
        fields.map(({ toolCallId = null }) => toolCallId),
        fields.map(({ state = null }) => state),
        payloads,
      ])
    },
    /** All messages of a thread that was never forked. */
    load: (keys: Keys) => read(keys, 0),
    async last(keys: Keys, count: number): Promise<Message[]> {
      const [row] = await run('head', `select head from ${schema}.holdfast_branches where scope = $1 and key = $2`, [
        keys.scope,
        keys.branch,
      ])
      return read(keys, Number(row?.[0]) - count)
    },
    async list(scope: number, limit: number, after?: { readonly at: number; readonly id: string }): Promise<Session[]> {
      const from = after ?? { at: Number.MAX_SAFE_INTEGER, id: '' }
      return (await run('page', page, [scope, limit, from.at, from.id])).map(sessionOf)
    },
    close: () => pool.end(),
  }
}
