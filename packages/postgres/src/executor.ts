import { type Call, HoldfastError } from '@holdfast/core'
import type { Query, SchemaSession, SqlExecutor, SqlRow, SqlValue, Step, WriteOutcome } from '@holdfast/sql'
import type { ClientBase, PoolClient, QueryConfig } from 'pg'
import { markUnsettled } from './classify.js'
import type { Connections } from './connections.js'
import { aborted, type Commit, createJoiner, type Write } from './joining.js'
import { type Answer, codeOf, type Sending, sendAll } from './pipeline.js'
import { type Manner, settingsFor } from './settings.js'
import { refusal, worded, wordingOf } from './wording.js'

const beginReading = { wording: worded('begin isolation level repeatable read read only', false), values: [] }
const endReading = { wording: worded('commit', false), values: [] }

const mostTries = 20
/** Longer ones gain nothing from company, and would keep it waiting. */
const mostSteps = 64

export interface ExecutorOptions {
  readonly connections: Connections
  readonly manner: Manner
  /** What keeps other processes from migrating: statements that a migration begins with. */
  readonly lock: readonly string[]
}

/** A write is one message to the server and one answer. Whatever goes wrong in between, the server rolls back. */
export function createPostgresExecutor({ connections, manner, lock }: ExecutorOptions): SqlExecutor {
  const join = createJoiner({
    // The rest of the connections is for reads.
    lanes: Math.max(1, Math.floor(connections.most / 3)),
    waitMs: connections.waitMs,
    commit: (writes) =>
      writes.length === 1
        ? { outcomes: writes.map(commitAlone), shared: Promise.resolve(true) }
        : commitTogether(writes),
  })

  async function onConnection(sendings: readonly Sending[], call: Call): Promise<Answer> {
    const client = await connections.borrow(call)
    const answer = await sendAll(client, sendings, manner)
    connections.giveBack(client, !answer.done && (!answer.answered || isBroken(answer.error)))
    return answer
  }

  async function commitAlone(write: Write): Promise<WriteOutcome> {
    const settings = settingsFor(write.about, manner)
    for (let tries = 1; ; tries++) {
      const answer = await onConnection([...settings, ...sendingsOf(write.steps)], write.call)
      const outcome = outcomeOf(answer, settings.length, write.steps)
      if (outcome !== undefined) return outcome
      await again(answer, write.call, tries)
    }
  }

  function commitTogether(writes: readonly Write[]): Commit {
    const shared = tryTogether(writes)
    // When it cannot be done for all of them, each is done for itself, in turn.
    let before: Promise<unknown> = shared
    const outcomes = writes.map((write, at) => {
      const mine = before.then(async () => (await shared)?.[at] ?? commitAlone(write))
      before = mine.catch(() => undefined)
      return mine
    })
    return {
      outcomes,
      shared: shared.then(
        (done) => done !== undefined,
        () => true,
      ),
    }
  }

  /** The outcomes, or undefined when nothing took place. */
  async function tryTogether(writes: readonly Write[]): Promise<readonly WriteOutcome[] | undefined> {
    const sendings: Sending[] = []
    const begins = writes.map((write) => {
      sendings.push(...settingsFor(write.about, manner))
      const begin = sendings.length
      sendings.push(...sendingsOf(write.steps))
      return begin
    })
    // No one of them can abort what it shares with the others.
    const answer = await onConnection(sendings, { signal: undefined, retries: 0 })
    if (answer.done) {
      return writes.map(({ steps }, at) => {
        const begin = begins[at] ?? 0
        return { done: true, rows: answer.rows.slice(begin, begin + steps.length) }
      })
    }
    if (answer.answered) return undefined
    throw markUnsettled(answer.error)
  }

  async function again(answer: Answer, call: Call, tries: number): Promise<void> {
    if (answer.done) return
    const { error } = answer
    if (tries >= mostTries || !(isPassing(error) || mayBeGone(error, tries))) throw error
    // Names that somebody else's work on the connection has removed, or a pooler that nobody has told us about.
    if (isAboutNames(error) && tries > 1) manner.named = false
    call.retries++
    await pause(Math.random() * 2 ** Math.min(tries, 6))
  }

  /**
   * A scope that is deleted in the middle of a write leaves its later statements without a key (23502), without the row that
   * it stands for (23503) or, under row-level security, without the right to it (42501). The next try finds it gone from the
   * start.
   */
  function mayBeGone(error: unknown, tries: number): boolean {
    const code = codeOf(error)
    return tries < 3 && (/^2350[23]$/.test(code) || (manner.rowLevelSecurity && code === '42501'))
  }

  return {
    chains: false,

    async write(steps, about, call) {
      const write = { steps, about, call }
      refuseAborted(call)
      return about.session === undefined || steps.length > mostSteps ? commitAlone(write) : join(write)
    },

    async read(queries, about, call) {
      const settings = settingsFor(about, manner)
      const [begin, end] = queries.length > 1 ? [[beginReading], [endReading]] : [[], []]
      const sendings = [...begin, ...settings, ...queries.map(sendingOf), ...end]
      for (let tries = 1; ; tries++) {
        const client = await connections.borrow(call)
        const answer = await sendAll(client, sendings, manner)
        // A transaction that was begun and not ended is not worth another round trip.
        connections.giveBack(client, !answer.done)
        if (answer.done) {
          const first = begin.length + settings.length
          return answer.rows.slice(first, first + queries.length)
        }
        // Nothing is at stake: a connection that was dead already must not fail a read.
        if (answer.answered || tries > 1) await again(answer, call, tries)
      }
    },

    async exclusively(work) {
      const client = await connections.borrow({ signal: undefined, retries: 0 })
      let broken = true
      try {
        for (const statement of ['begin', ...lock]) await client.query(bounded(statement, manner))
        const result = await work(schemaSession(client, manner))
        const { command } = await client.query(bounded('commit', manner))
        // The server answers the commit of a failed transaction with a rollback, and calls that a success.
        if (command !== 'COMMIT') throw new HoldfastError('unavailable', 'Postgres rolled a migration back.')
        broken = false
        return result
      } finally {
        // The end of the connection is the end of the transaction.
        connections.giveBack(client, broken)
      }
    },

    close: () => connections.close(),
  }
}

export function sendingOf(query: Query): Sending {
  // A remote executor does not chain, so every value is plain.
  return { wording: wordingOf(query), values: query.values as readonly SqlValue[] }
}

function sendingsOf(queries: readonly Query[]): readonly Sending[] {
  return queries.map(sendingOf)
}

/** What became of a write, or undefined when it failed. `before` counts the statements in front of its steps. */
export function outcomeOf(answer: Answer, before: number, steps: readonly Step[]): WriteOutcome | undefined {
  if (answer.done) return { done: true, rows: answer.rows.slice(before) }
  if (!answer.answered) throw markUnsettled(answer.error)
  const step = answer.completed - before
  return isRefusal(answer.error, steps[step]) ? { done: false, step } : undefined
}

function isRefusal(error: unknown, step: Step | undefined): boolean {
  if (step?.failsWhenTaken === true) return codeOf(error) === '23505'
  return codeOf(error) === '22P02' && error instanceof Error && error.message.includes(refusal)
}

/** Whether the server has ended the connection, or the transaction was not the library's own. */
function isBroken(error: unknown): boolean {
  return /^(57P|08|25)/.test(codeOf(error)) || isAboutNames(error)
}

/** Deadlocks, conflicts between snapshots, and plans that the server threw away: the same again may succeed. */
function isPassing(error: unknown): boolean {
  return /^40/.test(codeOf(error)) || isAboutNames(error)
}

function isAboutNames(error: unknown): boolean {
  return /^(26000|42P05|0A000)/.test(codeOf(error))
}

function refuseAborted({ signal }: Call): void {
  if (signal?.aborted) throw aborted()
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** A server that says nothing must not keep a migration waiting for ever. The driver's types do not know the limit. */
function bounded(text: string, { silenceMs }: Manner): QueryConfig {
  const limited = { text, query_timeout: silenceMs }
  return limited
}

function schemaSession(client: ClientBase | PoolClient, manner: Manner): SchemaSession {
  return {
    async run(sql) {
      await client.query(bounded(sql, manner))
    },
    async all(sql): Promise<readonly SqlRow[]> {
      const answer = await sendAll(client, [{ wording: worded(sql, true), values: [] }], { ...manner, named: false })
      if (!answer.done) throw answer.error
      return answer.rows[0] ?? []
    },
  }
}
