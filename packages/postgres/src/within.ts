import { type Call, HoldfastError } from '@holdfast/core'
import type { About, Query, SqlExecutor } from '@holdfast/sql'
import type { ClientBase } from 'pg'
import { outcomeOf, sendingOf } from './executor.js'
import { aborted } from './joining.js'
import { type Answer, codeOf, sendAll } from './pipeline.js'
import { type Manner, surroundingsFor } from './settings.js'
import { nameless } from './wording.js'

const save = { wording: nameless('savepoint holdfast'), values: [] }
const release = { wording: nameless('release savepoint holdfast'), values: [] }
const goBack = { wording: nameless('rollback to savepoint holdfast'), values: [] }

/** What each connection is busy with, whichever of its stores has asked for it. */
const lines = new WeakMap<ClientBase, Promise<unknown>>()
/** Connections that do not keep what was prepared on them. */
const forgetful = new WeakSet<ClientBase>()

/**
 * Runs on a connection of the caller's, inside his transaction. Every read and write has a savepoint of its own, so that
 * one that fails or is refused leaves the transaction as it was, and usable. What a read sees at once is for the isolation
 * level of the transaction to say.
 */
export function createInnerExecutor(client: ClientBase, manner: Manner): SqlExecutor {
  refuseOthers(client)

  /** One after the other: a connection has one conversation, and what failed is taken back before the next begins. */
  function inTurn<Result>({ signal }: Call, work: () => Promise<Result>): Promise<Result> {
    const mine = (lines.get(client) ?? Promise.resolve()).then(() => {
      if (signal?.aborted) throw aborted()
      return work()
    })
    lines.set(
      client,
      mine.catch(() => undefined),
    )
    return mine
  }

  async function saved(queries: readonly Query[], about: About): Promise<Answer> {
    const options = { named: manner.named && !forgetful.has(client), silenceMs: manner.silenceMs }
    const around = surroundingsFor(about, manner)
    const before = [save, ...around.before]
    const sendings = [...before, ...queries.map(sendingOf), ...around.after, release]
    const answer = await sendAll(client, sendings, options)
    if (answer.done) return { done: true, rows: answer.rows.slice(before.length, before.length + queries.length) }
    const hasForgotten = options.named && isAboutNames(answer.error)
    if (hasForgotten) forgetful.add(client)
    if (!answer.answered) return answer
    if (answer.completed === 0) throw unusable(answer.error)
    await sendAll(client, [goBack, release], { ...options, named: false })
    return hasForgotten ? saved(queries, about) : { ...answer, completed: answer.completed - before.length }
  }

  return {
    chains: false,

    write: (steps, about, call) =>
      inTurn(call, async () => {
        const answer = await saved(steps, about)
        if (answer.done) return answer
        // Without an answer the connection is gone, and the caller's transaction with it: nothing is unknown.
        const outcome = answer.answered ? outcomeOf(answer, 0, steps) : undefined
        if (outcome === undefined) throw answer.error
        return outcome
      }),

    read: (queries, about, call) =>
      inTurn(call, async () => {
        const answer = await saved(queries, about)
        if (!answer.done) throw answer.error
        return answer.rows
      }),

    exclusively: async () => {
      throw new HoldfastError('unsupported', 'The schema does not change inside of a transaction of the caller.')
    },

    close: async () => undefined,
  }
}

/** A pool has the methods of a connection, and would spread a transaction over several. */
function refuseOthers(client: ClientBase): void {
  const isClient = typeof client?.query === 'function' && !('totalCount' in client)
  if (!isClient) throw refused('A connection of `pg` is needed, and no pool: a transaction is on one connection.')
}

/** The driver, a pooler or `discard all` has removed a prepared statement, or its answer has another form by now. */
function isAboutNames(error: unknown): boolean {
  return /^(26000|42P05|0A000)/.test(codeOf(error))
}

/** Why there could not be a savepoint. */
function unusable(error: unknown): unknown {
  const code = codeOf(error)
  if (code === '25P01') return refused('The connection is in no transaction. Begin one before the first call.')
  if (code === '25P02') {
    return refused('The transaction has failed before, and the server takes nothing but its rollback (25P02).')
  }
  return error
}

function refused(message: string): HoldfastError {
  return new HoldfastError('invalid', message, { entity: 'store', path: 'client' })
}
