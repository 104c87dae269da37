import { type JournalReads, keyOnlyTypes } from '@holdfast/core'
import { under } from '../codec/columns.js'
import { entryColumns, entryFrom } from '../codec/journal.js'
import { bind, type Compiled, type Compiler, type Scoped, type Writing } from '../compile.js'
import type { SqlExecutor } from '../executor.js'

interface OfSession extends Scoped {
  readonly session: string
}

interface Listed extends OfSession {
  readonly after: number
  readonly limit: number
}

interface OfType extends Listed {
  readonly entryType: string
}

interface OneEntry extends Scoped {
  readonly entry: string
}

export function journalReads(executor: SqlExecutor, { compile }: Compiler): JournalReads {
  const all = compile<Listed>('list journal entries', (writing) => entriesAfter(writing))
  const one = compile<OneEntry>('get a journal entry', ({ db, scope, slot }) =>
    db
      .selectFrom('holdfast_journal as j')
      .innerJoin('holdfast_sessions as s', (join) =>
        join.onRef('s.scope', '=', 'j.scope').onRef('s.key', '=', 'j.session'),
      )
      .select(under('j', entryColumns))
      .select('s.id as session')
      .where('j.id', '=', slot('entry'))
      .where('j.scope', '=', scope)
      .where('s.id', 'is not', null),
  )

  // Only entries with a payload are indexed by their type, and a database must be told that it may use the index.
  const typed = (name: string, write: (writing: Writing<OfType>) => ReturnType<typeof entriesOfType>) => ({
    indexed: compile<OfType>(`${name} with a payload`, (writing) =>
      write(writing).where('j.payload_json', 'is not', null),
    ),
    scanned: compile<OfType>(`${name} without a payload`, (writing) => write(writing)),
  })
  const listed = typed('list journal entries of a type', (writing) =>
    entriesOfType(writing).orderBy('j.seq').limit(writing.slot('limit')),
  )
  const latest = typed('get the latest journal entry of a type', (writing) =>
    entriesOfType(writing).orderBy('j.seq', 'desc').limit(writing.slot('limit')),
  )
  const formFor = (type: string, forms: { indexed: Compiled<OfType>; scanned: Compiled<OfType> }) =>
    keyOnlyTypes.has(type) ? forms.scanned : forms.indexed

  return {
    async list(scope, { session, after, type, limit }, call) {
      const query =
        type === undefined
          ? bind(all, { scope, session, after, limit })
          : bind(formFor(type, listed), { scope, session, after, limit, entryType: type })
      const [rows = []] = await executor.read([query], { scope }, call)
      return rows.map(entryFrom)
    },

    async latest(scope, session, type, call) {
      const input = { scope, session, after: 0, limit: 1, entryType: type }
      const [[row] = []] = await executor.read([bind(formFor(type, latest), input)], { scope }, call)
      return row && entryFrom(row)
    },

    async get(scope, entry, call) {
      const [[row] = []] = await executor.read([bind(one, { scope, entry })], { scope }, call)
      return row && { session: String(row[entryColumns.length]), entry: entryFrom(row) }
    },
  }
}

function entries<Input extends OfSession>({ db, scope, slot }: Writing<Input>) {
  return db
    .selectFrom('holdfast_sessions as s')
    .innerJoin('holdfast_journal as j', (join) =>
      join.onRef('j.scope', '=', 's.scope').onRef('j.session', '=', 's.key'),
    )
    .select(under('j', entryColumns))
    .where('s.id', '=', slot('session'))
    .where('s.scope', '=', scope)
}

function entriesAfter(writing: Writing<Listed>) {
  return entries(writing).where('j.seq', '>', writing.slot('after')).orderBy('j.seq').limit(writing.slot('limit'))
}

/** With a bound on the seq SQLite takes the index of types also for the latest one; without, it would look at every entry. */
function entriesOfType(writing: Writing<OfType>) {
  return entries(writing).where('j.type', '=', writing.slot('entryType')).where('j.seq', '>', writing.slot('after'))
}
