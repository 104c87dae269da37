import { type Call, type ErrorCode, HoldfastError } from '@holdfast/core'
import { Client, type ClientConfig, Pool, type PoolClient } from 'pg'
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
  /** How long somebody waits for one. */
  readonly waitMs: number
  close(): Promise<void>
}

export interface ConnectionsOptions {
  readonly waitMs: number
  /** Whether the pool was opened for the store and ends with it. */
  readonly owned: boolean
}

const ignored = () => undefined

/** The driver leaves a connection open that it gives up by itself, such as one that asks for a password it does not have. */
class ClosingClient extends Client {
  constructor(config?: ClientConfig) {
    super(config)
    this.connection.on('error', () => this.connection.stream.destroy())
  }
}

export function openPool(config: ClientConfig, max: number, waitMs: number): Pool {
  return new Pool({ ...config, Client: ClosingClient, max, connectionTimeoutMillis: waitMs })
}

export function connectionsOf(pool: Pool, { waitMs, owned }: ConnectionsOptions): Connections {
  const watched = new WeakSet<PoolClient>()
  /** How many connections somebody has. Those that are only being made have been given to nobody. */
  let taken = pool.totalCount - pool.idleCount
  const listeners: readonly (readonly [string, () => void])[] = [
    // A connection that dies while nobody uses it is an event, and one without a listener ends the process.
    ['error', ignored],
    ['acquire', () => taken++],
    ['release', () => taken--],
  ]
  for (const [event, listener] of listeners) pool.addListener(event, listener)

  function tooLong(): HoldfastError {
    return taken >= pool.options.max
      ? failed('busy', `All ${pool.options.max} connections are in use.`)
      : failed('unavailable', 'Postgres did not accept a connection in time.')
  }

  /** The driver's own errors while connecting have no codes, and some of their texts quote what they were given. */
  function unreachable(error: unknown): unknown {
    const known = wrapped(error)
    if (known !== error) return known
    const text = error instanceof Error ? error.message : ''
    if (text.startsWith('timeout exceeded')) return tooLong()
    if (/SSL|TLS|certificate/i.test(text)) {
      return failed('unavailable', 'Postgres: no TLS connection could be agreed on; see the `ssl` option.')
    }
    if (/password|SASL|SCRAM/i.test(text)) {
      return failed('unauthorized', 'Postgres: the server asks for a password that was not given.')
    }
    return failed('unavailable', 'Postgres: no connection could be made.')
  }

  return {
    most: pool.options.max,
    waitMs,

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
        const timer = setTimeout(() => settle(() => reject(tooLong())), waitMs)
        if (signal?.aborted) return abort()
        signal?.addEventListener('abort', abort)
        try {
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
        } catch {
          // The driver reads its settings only now, and throws what it finds.
          settle(() => reject(failed('invalid', 'The settings of the connection cannot be used.')))
        }
      })
    },

    giveBack(client, broken) {
      client.release(broken)
    },

    beginEachWith(statement) {
      // The driver knows a limit that its types do not.
      const first = { text: statement, query_timeout: waitMs }
      // Whoever gets the connection first waits behind it. Where it fails, so does what follows.
      pool.on('connect', (client) => void client.query(first).catch(() => client.end()))
    },

    async close() {
      if (owned) await pool.end()
      else for (const [event, listener] of listeners) pool.removeListener(event, listener)
    },
  }
}

function failed(code: ErrorCode, message: string): HoldfastError {
  return new HoldfastError(code, message, { entity: 'store' })
}
