import { type Call, HoldfastError } from '@holdfast/core'
import type { Pool, PoolClient } from 'pg'
import { wrapped } from './classify.js'
import { aborted } from './joining.js'

/** Where connections come from, each for one piece of work at a time. */
export interface Connections {
  /** Waits for a connection, not for ever. */
  borrow(call: Call): Promise<PoolClient>
  /** Gives it back; `broken` when it must not be used again. */
  giveBack(client: PoolClient, broken: boolean): void
  /** Has every connection that is made from now on begin with a statement. */
  beginEachWith(statement: string): void
  /** How many there can be at once. */
  readonly most: number
  close(): Promise<void>
}

export interface ConnectionsOptions {
  readonly waitMs: number
  /** Whether the pool was opened for the store and ends with it. */
  readonly owned: boolean
}

const ignored = () => undefined

export function connectionsOf(pool: Pool, { waitMs, owned }: ConnectionsOptions): Connections {
  const watched = new WeakSet<PoolClient>()
  // A connection that dies while nobody uses it is an event, and one without a listener ends the process.
  pool.on('error', ignored)

  return {
    most: pool.options.max,

    borrow(call) {
      return new Promise((resolve, reject) => {
        const { signal } = call
        let settled = false
        function settle(how: () => void): void {
          settled = true
          clearTimeout(timer)
          signal?.removeEventListener('abort', abort)
          how()
        }
        function abort(): void {
          settle(() => reject(aborted()))
        }
        const timer = setTimeout(() => settle(() => reject(tooLong(pool, waitMs))), waitMs)
        if (signal?.aborted) return abort()
        signal?.addEventListener('abort', abort)
        pool.connect((error, client, release) => {
          // Whoever waited has left; the connection is as good as new.
          if (settled) return void (client !== undefined && release())
          settle(() => {
            if (client === undefined) return reject(unreachable(error))
            if (!watched.has(client)) {
              watched.add(client)
              client.on('error', ignored)
            }
            resolve(client)
          })
        })
      })
    },

    giveBack(client, broken) {
      client.release(broken)
    },

    beginEachWith(statement) {
      // Whoever gets the connection first waits behind it. Where it fails, so does what follows.
      pool.on('connect', (client) => void client.query(statement).catch(ignored))
    },

    async close() {
      if (owned) await pool.end()
      else pool.off('error', ignored)
    },
  }
}

function tooLong(pool: Pool, waitMs: number): HoldfastError {
  if (pool.totalCount >= pool.options.max) {
    return new HoldfastError('busy', `All ${pool.options.max} connections were in use for ${waitMs} ms.`)
  }
  return new HoldfastError('unavailable', `Postgres did not accept a connection within ${waitMs} ms.`)
}

/** The driver's own errors while connecting have no codes, and some of their texts quote what they were given. */
function unreachable(error: unknown): unknown {
  const known = wrapped(error)
  if (known !== error) return known
  const text = error instanceof Error ? error.message : ''
  if (/SSL|TLS|certificate/i.test(text)) {
    return new HoldfastError('unavailable', 'Postgres: no TLS connection could be agreed on; see the `ssl` option.')
  }
  if (/password|SASL|SCRAM/i.test(text)) {
    return new HoldfastError('unauthorized', 'Postgres: the server asks for a password that was not given.')
  }
  return new HoldfastError('unavailable', 'Postgres: no connection could be made.')
}
