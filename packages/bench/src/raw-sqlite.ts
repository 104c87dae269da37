import { randomUUID } from 'node:crypto'
import type { Message, MessageInput, Part, Session } from '@holdfast/core'
import Database from 'better-sqlite3'
import { messageColumns, messageOf, type Row, sessionColumns, sessionOf } from './raw-rows.js'

// What somebody writes who has one afternoon, knows SQLite well and needs this one schema: prepared statements, one
// transaction per append, two range scans per read, integer keys kept in variables. It checks nothing.

export function openRaw(path: string) {
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.pragma('foreign_keys = ON')

  const begin = db.prepare('begin immediate')
  const commit = db.prepare('commit')
  const keys = db.prepare(`select s.scope, s.key, s.active_branch, b.id from holdfast_sessions s
    join holdfast_branches b on b.scope = s.scope and b.key = s.active_branch where s.id = ?`)
  const bump = db.prepare(
    'update holdfast_sessions set last_activity_at = max(last_activity_at, ?) where scope = ? and key = ?',
  )
  const advance = db
    .prepare('update holdfast_branches set head = head + 1 where scope = ? and key = ? returning head')
    .raw()
  const insertMessage =
    db.prepare(`insert into holdfast_messages (scope, branch, position, id, digest, role, kind, sender,
    recipient, channel, status, model_json, agent, usage_json, finish_reason, error_json, trigger_json, metadata_json,
    created_by, created_at, updated_at, size, revision)
    values (?, ?, ?, ?, ?, ?, null, null, null, null, 'complete', null, null, null, null, null, null, '{}', null, ?, ?, ?, 1)`)
  const insertPart =
    db.prepare(`insert into holdfast_parts (scope, branch, position, "index", chunk, type, tool_call_id, state,
    created_at, updated_at, payload_json) values (?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?)`)
  const nextSeq = db
    .prepare('select coalesce(max(seq), 0) + 1 from holdfast_journal where scope = ? and session = ?')
    .pluck()
  const insertEntry =
    db.prepare(`insert into holdfast_journal (scope, session, seq, id, digest, type, payload_json, message,
    "user", at) values (?, ?, ?, null, null, 'message', null, ?, null, ?)`)
  const headOf = db.prepare('select head from holdfast_branches where scope = ? and key = ?').pluck()
  const selectMessages = db
    .prepare(
      `select ${messageColumns} from holdfast_messages where scope = ? and branch = ? and position > ? order by position`,
    )
    .raw()
  const selectParts = db
    .prepare(`select position, payload_json from holdfast_parts where scope = ? and branch = ? and position > ?
      order by position, "index", chunk`)
    .raw()
  const firstPage = db
    .prepare(`select ${sessionColumns} from holdfast_sessions s
      join holdfast_branches b on b.scope = s.scope and b.key = s.active_branch
      where s.scope = ? and s.shelf = 0 order by s.last_activity_at desc, s.id desc limit ?`)
    .raw()
  const laterPage = db
    .prepare(`select ${sessionColumns} from holdfast_sessions s
      join holdfast_branches b on b.scope = s.scope and b.key = s.active_branch
      where s.scope = ? and s.shelf = 0 and (s.last_activity_at, s.id) < (?, ?)
      order by s.last_activity_at desc, s.id desc limit ?`)
    .raw()

  /** The integer keys, which a program of one's own keeps in a variable. */
  function keysOf(session: string) {
    const [scope, key, branch, branchId] = keys.raw().get(session) as [number, number, number, string]
    return { scope, key, branch, branchId, session }
  }
  type Keys = ReturnType<typeof keysOf>

  function append({ scope, key, branch }: Keys, message: MessageInput): void {
    const now = Date.now()
    const payloads = message.parts.map((part) => JSON.stringify(part))
    const id = randomUUID()
    let size = 0
    for (const payload of payloads) size += payload.length
    begin.run()
    bump.run(now, scope, key)
    const [position] = advance.get(scope, branch) as [number]
    insertMessage.run(scope, branch, position, id, '0'.repeat(64), message.role, now, now, size)
    for (const [index, part] of message.parts.entries()) {
      const { toolCallId = null, state = null } = part as { toolCallId?: string; state?: string }
      insertPart.run(scope, branch, position, index, part.type, toolCallId, state, now, now, payloads[index])
    }
    insertEntry.run(scope, key, nextSeq.get(scope, key), id, now)
    commit.run()
  }

  function read({ scope, branch, branchId, session }: Keys, after: number): Message[] {
    const rows = selectMessages.all(scope, branch, after) as Row[]
    const partRows = selectParts.all(scope, branch, after) as [number, string][]
    let next = 0
    return rows.map((row) => {
      const parts: Part[] = []
      for (let part = partRows[next]; part !== undefined && part[0] === row[0]; part = partRows[++next])
        parts.push(JSON.parse(part[1]))
      return messageOf(row, session, branchId, parts)
    })
  }

  return {
    keysOf,
    append,
    /** All messages of a thread that was never forked. */
    load: (found: Keys) => read(found, 0),
    last: (found: Keys, count: number) => read(found, (headOf.get(found.scope, found.branch) as number) - count),
    list: (scope: number, limit: number, after?: { readonly at: number; readonly id: string }): Session[] => {
      const rows = after ? laterPage.all(scope, after.at, after.id, limit) : firstPage.all(scope, limit)
      return (rows as Row[]).map(sessionOf)
    },
  }
}
