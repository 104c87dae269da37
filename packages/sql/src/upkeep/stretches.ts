import { type Call, createPause } from '@holdfast/core'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { bind, type Compiled, type Compiler, type WritingAcross } from '../compile.js'
import type { SqlExecutor, SqlRow } from '../executor.js'

/** The values of a table's key columns. */
type Key = readonly number[]

export interface Beginning {
  readonly after: Key
}

/** Rows that follow each other in the order of their key: after one of them, and up to another. */
export interface Stretch extends Beginning {
  readonly upTo: Key
}

/** Finds the next rows after a key, in order: their keys and, last, how many characters there are to read. */
export type Ahead = Compiled<Beginning>

export const rowsAhead = 500
const charactersAtOnce = 4 * 1024 * 1024

/** What a query over stretches needs to say about the key of its table. */
interface KeyOrder {
  readonly order: Expression<unknown>
  isAfter<Input extends Beginning>(writing: WritingAcross<Input>): Expression<SqlBool>
  isWithin(writing: WritingAcross<Stretch>): Expression<SqlBool>
}

/** Rows are walked in the order in which the engine keeps their keys; where a stretch ends is said in the order of columns. */
export function keyOrder({ traits }: Compiler, alias: string, columns: readonly string[]): KeyOrder {
  const kept = traits.keyOrder(columns)
  const list = sql.join(kept.map((name) => sql.ref(`${alias}.${name}`)))
  const values = <Input>({ computed }: WritingAcross<Input>, keyOf: (input: Input) => Key) =>
    sql.join(kept.map((name) => computed((input) => keyOf(input)[columns.indexOf(name)] ?? 0)))
  const isAfter: KeyOrder['isAfter'] = (writing) =>
    sql<SqlBool>`(${list}) > (${values(writing, (input) => input.after)})`
  return {
    order: list,
    isAfter,
    isWithin: (writing) =>
      sql<SqlBool>`${isAfter(writing)} and (${list}) <= (${values(writing, (input) => input.upTo)})`,
  }
}

export function charactersIn(columns: readonly string[]): RawBuilder<number> {
  const lengths = columns.map((name) => sql`coalesce(length(${sql.ref(name)}), 0)`)
  return sql<number>`${sql.join(lengths, sql` + `)}`
}

/** A whole table in stretches, none of which is too much to hold at once. The event loop gets its turns in between. */
export async function* stretches(
  executor: SqlExecutor,
  ahead: Ahead,
  keyColumns: number,
  call: Call,
): AsyncGenerator<Stretch> {
  let after: Key = new Array<number>(keyColumns).fill(0)
  const pause = createPause()
  for (;;) {
    const [rows = []] = await executor.read([bind(ahead, { after })], { scope: null }, call)
    for (const upTo of endsOf(rows, keyColumns)) {
      yield { after, upTo }
      after = upTo
      await pause()
    }
    if (rows.length < rowsAhead) return
  }
}

/** The key of the last row of each stretch. */
function endsOf(rows: readonly SqlRow[], keyColumns: number): readonly Key[] {
  const ends: Key[] = []
  let characters = 0
  for (const row of rows) {
    const more = Number(row[keyColumns])
    const isFull = characters + more > charactersAtOnce
    characters = isFull ? more : characters + more
    if (!isFull) ends.pop()
    ends.push(row.slice(0, keyColumns).map(Number))
  }
  return ends
}
