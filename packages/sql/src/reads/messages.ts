import type { MessageReads } from '@holdfast/core'
import { partsFrom } from '../chunks.js'
import { under } from '../codec/columns.js'
import { messageColumns, messageFrom, partColumns, partFrom } from '../codec/messages.js'
import { bind, type Compiler, type Scoped, type Writing } from '../compile.js'
import type { SqlExecutor } from '../executor.js'
import { deletedShelf, isShown, sessionId, shownMessage } from '../shown.js'
import { lastMessages } from './last-messages.js'
import { pageOfPath } from './page.js'

interface OneMessage extends Scoped {
  readonly message: string
}

interface OneCall extends Scoped {
  readonly toolCallId: string
}

export function messageReads(executor: SqlExecutor, compiler: Compiler): MessageReads {
  const { compile } = compiler

  const one = compile<OneMessage>('get a message', ({ db, scope, slot }) =>
    shownMessage(db, slot('message'), scope)
      .select(under('m', messageColumns))
      .select(['b.id as home', sessionId.as('session'), 's.shelf', 'm.digest', 'm.size', 'm.revision']),
  )

  const isThere = compile<OneMessage>('see that a message is shown', ({ db, scope, slot }) =>
    shownMessage(db, slot('message'), scope).select('m.position'),
  )

  const parts = compile<OneMessage>('read the parts of a message', (writing) => partsOf(writing))

  const calls = compile<OneCall>('find the parts of a call', ({ db, scope, slot }) =>
    db
      .selectFrom('holdfast_parts as p')
      .innerJoin('holdfast_messages as m', (join) =>
        join.onRef('m.scope', '=', 'p.scope').onRef('m.branch', '=', 'p.branch').onRef('m.position', '=', 'p.position'),
      )
      .innerJoin('holdfast_branches as b', (join) =>
        join.onRef('b.scope', '=', 'm.scope').onRef('b.key', '=', 'm.branch'),
      )
      .innerJoin('holdfast_sessions as s', (join) =>
        join.onRef('s.scope', '=', 'b.scope').onRef('s.key', '=', 'b.session'),
      )
      .select(['m.id as message', 'b.id as branch', 'm.position', 'p.index'])
      .where('p.tool_call_id', '=', slot('toolCallId'))
      .where('p.scope', '=', scope)
      .where(isShown(db)),
  )

  return {
    page: pageOfPath(executor, compiler),
    last: lastMessages(executor, compiler),

    async get(scope, message, call) {
      const input = { scope, message }
      const [[row] = [], found = []] = await executor.read([bind(one, input), bind(parts, input)], { scope }, call)
      if (row === undefined) return undefined
      const [branch, session, shelf, digest, size, revision] = row.slice(messageColumns.length)
      const payloads = partsFrom(found.map(partFrom)).map((part) => part.payloadJson)
      const home = { branch: String(branch), session: String(session) }
      return {
        message: messageFrom(row, home, payloads),
        digest: String(digest),
        size: Number(size),
        revision: Number(revision),
        gone: shelf === deletedShelf,
      }
    },

    async parts(scope, message, call) {
      const input = { scope, message }
      const [[shown] = [], found = []] = await executor.read(
        [bind(isThere, input), bind(parts, input)],
        { scope },
        call,
      )
      return shown && partsFrom(found.map(partFrom))
    },

    async calls(scope, toolCallId, call) {
      const [rows = []] = await executor.read([bind(calls, { scope, toolCallId })], { scope }, call)
      return rows.map(([message, branch, position, index]) => ({
        message: String(message),
        branch: String(branch),
        position: Number(position),
        index: Number(index),
      }))
    },
  }
}

function partsOf({ db, scope, slot }: Writing<OneMessage>) {
  return db
    .selectFrom('holdfast_messages as m')
    .innerJoin('holdfast_parts as p', (join) =>
      join.onRef('p.scope', '=', 'm.scope').onRef('p.branch', '=', 'm.branch').onRef('p.position', '=', 'm.position'),
    )
    .select(under('p', partColumns))
    .where('m.id', '=', slot('message'))
    .where('m.scope', '=', scope)
    .orderBy('p.index')
    .orderBy('p.chunk')
}
