import { HoldfastError } from '@holdfast/core'
import type { SqlExecutor } from '@holdfast/sql'
import type { ClientBase } from 'pg'
import { outcomeOf, sendingOf } from './executor.js'
import { type Answer, codeOf, type Sending, sendAll } from './pipeline.js'
import { type Manner, settingsFor } from './settings.js'
import { worded } from './wording.js'

const save = { wording: worded('savepoint holdfast', false), values: [] }
const release = { wording: worded('release savepoint holdfast', false), values: [] }
const goBack = { wording: worded('rollback to savepoint holdfast', false), values: [] }

/**
 * Runs on a connection of the caller's, inside his transaction. Every read and write has a savepoint of its own, so that
 * one that fails or is refused leaves the transaction as it was, and usable.
 */
export function createInnerExecutor(client: ClientBase, manner: Manner): SqlExecutor {
  let last: Promise<unknown> = Promise.resolve()

  /** One after the other: a connection has one conversation. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }

  async function saved(sendings: readonly Sending[]): Promise<Answer> {
    const answer = await sendAll(client, [save, ...sendings, release], manner)
    if (answer.done) return answer
    if (codeOf(answer.error) === '25P01') throw notInTransaction()
    if (answer.answered && answer.completed > 0) await sendAll(client, [goBack, release], manner)
    return answer
  }

  return {
    chains: false,

    write: (steps, about) =>
      inTurn(async () => {
        const settings = settingsFor(about, manner)
        const answer = await saved([...settings, ...steps.map(sendingOf), ...forgetting(manner)])
        const before = settings.length + 1
        // Without an answer the connection is gone, and the caller's transaction with it: nothing is unknown.
        if (!answer.done && !answer.answered) throw answer.error
        const outcome = outcomeOf(answer, before)
        if (outcome === undefined) throw answer.done ? new TypeError('An answer was lost.') : answer.error
        return outcome.done ? { done: true, rows: outcome.rows.slice(0, steps.length) } : outcome
      }),

    read: (queries, about) =>
      inTurn(async () => {
        const settings = settingsFor(about, manner)
        const answer = await saved([...settings, ...queries.map(sendingOf), ...forgetting(manner)])
        if (!answer.done) throw answer.error
        const first = settings.length + 1
        return answer.rows.slice(first, first + queries.length)
      }),

    exclusively: async () => {
      throw new HoldfastError('unsupported', 'The schema does not change inside of a transaction of the caller.')
    },

    close: async () => undefined,
  }
}

/** The rest of the caller's transaction is none of the scope's business. */
function forgetting(manner: Manner): readonly Sending[] {
  return manner.rowLevelSecurity ? settingsFor({ scope: '' }, { ...manner, limitEachMs: undefined }) : []
}

function notInTransaction(): HoldfastError {
  return new HoldfastError('invalid', 'The connection is in no transaction. Begin one before the first call.', {
    entity: 'store',
    path: 'client',
  })
}
