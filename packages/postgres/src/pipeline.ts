import type { SqlRow, SqlValue } from '@holdfast/sql'
import type { ClientBase, Connection, Submittable } from 'pg'
import { numbersAmong, type Wording } from './wording.js'

/** A statement with its values, ready to be sent. */
export interface Sending {
  readonly wording: Wording
  readonly values: readonly SqlValue[]
}

export type Answer =
  | { readonly done: true; readonly rows: readonly (readonly SqlRow[])[] }
  | {
      readonly done: false
      readonly error: unknown
      /** How many statements were carried out before the one that failed. */
      readonly completed: number
      /** Whether the server itself said so: then nothing of it took place. Otherwise nobody knows. */
      readonly answered: boolean
    }

export interface PipelineOptions {
  /** Whether the server may keep statements under names. */
  readonly named: boolean
  /** How long the server may be silent before the connection is given up. */
  readonly silenceMs: number
}

/** What this file uses of a connection of the driver, whose types know less than it has. */
interface Wire extends Pick<Connection, 'stream' | 'sync'> {
  parse(message: { readonly name: string; readonly text: string }): void
  close(message: { readonly type: 'S'; readonly name: string }): void
  bind(message: {
    readonly statement: string
    readonly values: readonly SqlValue[]
    readonly valueMapper: (value: SqlValue) => string | null
  }): void
  describe(message: { readonly type: 'P' }): void
  execute(message: { readonly rows: 0 }): void
}

/** What the driver tells whoever submitted something. */
interface Listener extends Submittable {
  handleRowDescription(message: { readonly fields: readonly { readonly dataTypeID: number }[] }): void
  handleDataRow(message: { readonly fields: SqlValue[] }): void
  handleCommandComplete(): void
  handleEmptyQuery(): void
  handlePortalSuspended(): void
  handleReadyForQuery(): void
  handleError(error: unknown): void
}

/** The statements that a connection has prepared, by name. In doubt are those of which an error hid whether it has. */
type Names = Map<string, 'prepared' | 'in doubt'>

const mostNames = 400
const namesOf = new WeakMap<Wire, Names>()

const asSent = (value: SqlValue): string | null => (value === null ? null : String(value))

/**
 * Sends statements all at once, with one request for an answer at the end: one round trip and, unless they say otherwise,
 * one transaction, which the server commits before it answers. Never rejects.
 */
export function sendAll(client: ClientBase, sendings: readonly Sending[], options: PipelineOptions): Promise<Answer> {
  return new Promise((resolve) => {
    let wire: Wire | undefined
    let silence: NodeJS.Timeout | undefined
    const rows: SqlRow[][] = [[]]
    let completed = 0
    let current = sendings[0]?.wording
    const fresh: { readonly at: number; readonly name: string }[] = []

    function listen(): void {
      clearTimeout(silence)
      silence = setTimeout(() => {
        // The driver then reports the loss of the connection, to `handleError`.
        wire?.stream.destroy(new Error('The server did not answer in time.'))
      }, options.silenceMs)
    }

    function complete(): void {
      completed++
      current = sendings[completed]?.wording
      rows.push([])
      silence?.refresh()
    }

    const listener: Listener = {
      submit(connection) {
        // The driver hands over its own connection, which has what `Wire` says.
        wire = connection as unknown as Wire
        listen()
        wire.stream.cork()
        for (const [at, sending] of sendings.entries()) {
          if (sendOne(wire, sending, options.named)) fresh.push({ at, name: sending.wording.name })
        }
        wire.sync()
        wire.stream.uncork()
      },
      handleRowDescription({ fields }) {
        if (current !== undefined) current.numbers = numbersAmong(fields.map((field) => field.dataTypeID))
      },
      handleDataRow({ fields }) {
        if (current?.returns === true) rows[completed]?.push(rowOf(fields, current.numbers))
        silence?.refresh()
      },
      handleCommandComplete: complete,
      handleEmptyQuery: complete,
      handlePortalSuspended: complete,
      handleReadyForQuery() {
        clearTimeout(silence)
        rows.pop()
        resolve({ done: true, rows })
      },
      handleError(error) {
        clearTimeout(silence)
        const names = wire && namesOf.get(wire)
        for (const { at, name } of fresh) if (at >= completed) names?.set(name, 'in doubt')
        resolve({ done: false, error, completed, answered: isAnswer(error, completed, sendings.length) })
      },
    }
    client.query(listener)
  })
}

/** Says whether the statement was prepared under its name by this. */
function sendOne(wire: Wire, { wording, values }: Sending, named: boolean): boolean {
  const known = named && wording.name !== '' ? prepare(wire, wording) : 'nameless'
  if (known === 'nameless') wire.parse({ name: '', text: wording.text })
  wire.bind({ statement: known === 'nameless' ? '' : wording.name, values, valueMapper: asSent })
  if (wording.returns && wording.numbers === undefined) wire.describe({ type: 'P' })
  wire.execute({ rows: 0 })
  return known === 'now'
}

function prepare(wire: Wire, { name, text }: Wording): 'before' | 'now' | 'nameless' {
  let names = namesOf.get(wire)
  if (names === undefined) {
    names = new Map()
    namesOf.set(wire, names)
  }
  const known = names.get(name)
  if (known === 'prepared') return 'before'
  // There are more combinations of filters than anybody uses, and a server should not keep them all.
  if (known === undefined && names.size >= mostNames) return 'nameless'
  if (known === 'in doubt') wire.close({ type: 'S', name })
  names.set(name, 'prepared')
  wire.parse({ name, text })
  return 'now'
}

/** The driver has made the array for this row alone, so it may become the row. */
function rowOf(fields: SqlValue[], numbers: readonly number[] | undefined): SqlRow {
  if (numbers !== undefined) {
    for (const at of numbers) {
      const field = fields[at]
      if (field !== null) fields[at] = Number(field)
    }
  }
  return fields
}

/**
 * An error of the server comes in its place among the answers. One that ends the connection or the server may also come
 * after the commit and before the last word about it; then all statements are complete, and nobody knows.
 */
function isAnswer(error: unknown, completed: number, sent: number): boolean {
  // Only what the server says has a severity. Codes of the system can look like its own, such as EPIPE.
  if (typeof error !== 'object' || error === null || !('severity' in error)) return false
  return completed < sent || !/^(57P|08|53|58|XX)/.test(codeOf(error))
}

export function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : ''
}
