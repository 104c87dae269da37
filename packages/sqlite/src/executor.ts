import type { Call } from '@holdfast/core'
import type { Found, Query, SchemaSession, SqlExecutor, SqlRow, SqlValue, Step, WriteOutcome } from '@holdfast/sql'
import { isBusy, markUnsettled } from './classify.js'
import type { Connection } from './connection.js'
import { createLine } from './line.js'
import { again, isOver, patiently, refuseAborted } from './patience.js'

/** One connection, shared by all calls. A transaction begins and ends in one tick, so no other call can fall into it. */
export function createSqliteExecutor(connection: Connection, busyTimeoutMs: number): SqlExecutor {
  const { db } = connection
  const begin = connection.prepare({ text: 'begin', returns: false })
  const beginImmediate = connection.prepare({ text: 'begin immediate', returns: false })
  const commit = connection.prepare({ text: 'commit', returns: false })
  const rollback = connection.prepare({ text: 'rollback', returns: false })
  const line = createLine()
  let held = false

  function writeOnce(steps: readonly Step[]): WriteOutcome {
    beginImmediate.run()
    try {
      const rows: (readonly SqlRow[])[] = []
      for (const step of steps) {
        const prepared = connection.prepare(step.statement)
        const values = valuesOf(step, rows)
        const returned = step.statement.returns ? prepared.all(...values) : []
        const affected = step.statement.returns ? returned.length : prepared.run(...values).changes
        if (step.expects !== undefined && step.expects !== affected) {
          rollback.run()
          return { done: false, step: rows.length }
        }
        rows.push(returned)
      }
      finish()
      return { done: true, rows }
    } catch (error) {
      if (db.inTransaction) rollback.run()
      throw error
    }
  }

  function finish(): void {
    try {
      commit.run()
    } catch (error) {
      markUnsettled(error)
      throw error
    }
  }

  function readOnce(queries: readonly Query[]): readonly (readonly SqlRow[])[] {
    if (queries.length > 1) begin.run()
    try {
      const rows: (readonly SqlRow[])[] = []
      for (const query of queries) rows.push(connection.prepare(query.statement).all(...valuesOf(query, rows)))
      return rows
    } finally {
      if (queries.length > 1) commit.run()
    }
  }

  return {
    chains: true,

    async write(steps, _about, call) {
      const attempt = () => writeOnce(steps)
      const deadline = performance.now() + busyTimeoutMs
      if (!line.isEmpty()) return line.inTurn(() => patiently(attempt, call, deadline), call, deadline)
      refuseAborted(call)
      try {
        return attempt()
      } catch (error) {
        if (!isBusy(error) || isOver(deadline)) throw error
      }
      return line.inTurn(() => again(attempt, call, deadline), call, deadline)
    },

    read(queries, _about, call) {
      const deadline = performance.now() + busyTimeoutMs
      const attempt = () => patiently(() => readOnce(queries), call, deadline)
      return held ? line.inTurn(attempt, call, deadline) : attempt()
    },

    exclusively(work) {
      const call: Call = { signal: undefined, retries: 0 }
      const deadline = performance.now() + busyTimeoutMs
      return line.inTurn(
        async () => {
          held = true
          // It cannot be switched inside a transaction, and while it is on, dropping a table deletes what refers to it.
          db.exec('pragma foreign_keys = off')
          try {
            await patiently(() => beginImmediate.run(), call, deadline)
            const result = await work(schemaSession(connection))
            finish()
            return result
          } finally {
            if (db.inTransaction) rollback.run()
            db.exec('pragma foreign_keys = on')
            held = false
          }
        },
        call,
        deadline,
      )
    },

    async close() {
      await line.empty()
      connection.close()
    },
  }
}

/** The values of a statement, with what earlier ones found in its place. */
function valuesOf({ values, late }: Query, rows: readonly (readonly SqlRow[])[]): readonly SqlValue[] {
  // Where nothing is late every value is plain.
  return late === true ? values.map((value) => resolved(value, rows)) : (values as readonly SqlValue[])
}

function resolved(value: SqlValue | Found, rows: readonly (readonly SqlRow[])[]): SqlValue {
  if (typeof value !== 'object' || value === null) return value
  const found = rows[value.step]?.[0]?.[value.column]
  return typeof found === 'number' ? found + value.plus : null
}

function schemaSession({ db, ask }: Connection): SchemaSession {
  return {
    async run(sql) {
      db.exec(sql)
    },
    async all(sql) {
      return ask(sql)
    },
  }
}
