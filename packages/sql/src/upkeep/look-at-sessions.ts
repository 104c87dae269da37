import { sql } from 'kysely'
import { under } from '../codec/columns.js'
import { bind, type Compiler } from '../compile.js'
import type { SqlExecutor, SqlRow, SqlValue } from '../executor.js'
import { allJson, parsed, type Report } from './findings.js'
import type { Look } from './look.js'
import { type Beginning, charactersIn, keyOrder, rowsAhead, type Stretch, stretches } from './stretches.js'

const jsonColumns = [
  'participants_json',
  'model_json',
  'permissions_json',
  'summary_json',
  'working_memory_json',
  'transcript_json',
  'metadata_json',
  'status_reason_json',
] as const
const key = ['scope', 'key'] as const

/** Sessions with their labels and their latest change of status, all as one commit left them. */
export function lookAtSessions(executor: SqlExecutor, compiler: Compiler): Look {
  const { compileAcross: compile } = compiler
  const ofSession = keyOrder(compiler, 's', key)
  const ofLabel = keyOrder(compiler, 'l', ['scope', 'session'])
  const labelsInOrder = keyOrder(compiler, 'l', ['scope', 'session', 'kind', 'value']).order
  const ofEntry = keyOrder(compiler, 'every', ['scope', 'session'])

  const ahead = compile<Beginning>('find the next sessions to look at', (writing) =>
    writing.db
      .selectFrom('holdfast_sessions as s')
      .select(under('s', key))
      .select(charactersIn(under('s', jsonColumns)).as('characters'))
      .where(ofSession.isAfter(writing))
      .orderBy(ofSession.order)
      .limit(sql.lit(rowsAhead)),
  )
  const sessions = compile<Stretch>('look at sessions', (writing) =>
    writing.db
      .selectFrom('holdfast_sessions as s')
      .select(under('s', key))
      .select(['s.id', 's.title', 's.title_folded', 's.status'])
      .select(under('s', jsonColumns))
      .where(ofSession.isWithin(writing))
      .orderBy(ofSession.order),
  )
  const participants = compile<Stretch>('look at participants', (writing) =>
    writing.db
      .selectFrom('holdfast_labels as l')
      .select(['l.scope', 'l.session', 'l.value'])
      .where('l.kind', '=', 'participant')
      .where(ofLabel.isWithin(writing))
      .orderBy(labelsInOrder),
  )
  const statuses = compile<Stretch>('look at the latest changes of status', (writing) =>
    writing.db
      .selectFrom('holdfast_journal as j')
      .innerJoin(
        (eb) =>
          eb
            .selectFrom('holdfast_journal as every')
            .select((entry) => ['every.scope', 'every.session', entry.fn.max('every.seq').as('seq')])
            .where('every.type', '=', 'status')
            .where('every.payload_json', 'is not', null)
            .where(ofEntry.isWithin(writing))
            .groupBy(['every.scope', 'every.session'])
            .as('latest'),
        (join) =>
          join
            .onRef('latest.scope', '=', 'j.scope')
            .onRef('latest.session', '=', 'j.session')
            .onRef('latest.seq', '=', 'j.seq'),
      )
      .select(['j.scope', 'j.session', 'j.payload_json']),
  )

  return async (report, call) => {
    for await (const stretch of stretches(executor, ahead, key.length, call)) {
      const queries = [sessions, participants, statuses].map((statement) => bind(statement, stretch))
      const [found = [], labels = [], changes = []] = await executor.read(queries, { scope: null }, call)
      const labelsOf = valuesBySession(labels)
      const changesOf = valuesBySession(changes)
      for (const row of found) {
        const name = nameOf(row)
        lookAtSession(row, labelsOf.get(name) ?? [], changesOf.get(name)?.[0], report)
      }
    }
  }
}

function lookAtSession(row: SqlRow, labels: readonly SqlValue[], change: SqlValue | undefined, report: Report): void {
  const [scope = null, session = null, id, title, folded, status, participantsJson, ...texts] = row
  const place = [scope, session]
  const participants = parsed(participantsJson)
  if (participants === undefined || !allJson(texts)) report('a session with a text that is not JSON', place)
  if (!canBeFolded(title, folded)) report('a session whose folded title is not of its title', place)
  // The rest of a deleted session goes bit by bit.
  if (id === null) return
  if (participants !== undefined && !isSame(usersOf(participants), new Set(labels)))
    report('a session whose participants are not its labels', place)
  if (status !== statusAfter(change)) report('a session whose status is not the latest of its journal', place)
}

/** How to fold is core's to know, but of ASCII every way of folding makes lower case, and of no title none. */
function canBeFolded(title: SqlValue | undefined, folded: SqlValue | undefined): boolean {
  if (typeof title !== 'string') return folded === null
  if (typeof folded !== 'string') return false
  return !/^[\0-\x7f]*$/.test(title) || folded === title.toLowerCase()
}

function usersOf(participants: unknown): ReadonlySet<unknown> {
  return new Set(Array.isArray(participants) ? participants.map((participant) => participant?.userId) : [])
}

function isSame(left: ReadonlySet<unknown>, right: ReadonlySet<unknown>): boolean {
  return left.size === right.size && [...left].every((value) => right.has(value))
}

/** The status that a change leads to; a session that never changed is as it was created. */
function statusAfter(change: SqlValue | undefined): unknown {
  if (change === undefined) return 'idle'
  const payload = parsed(change)
  return typeof payload === 'object' && payload !== null && 'to' in payload ? payload.to : undefined
}

function valuesBySession(rows: readonly SqlRow[]): ReadonlyMap<string, readonly SqlValue[]> {
  const found = new Map<string, SqlValue[]>()
  for (const row of rows) {
    const values = found.get(nameOf(row))
    const value = row[key.length] ?? null
    if (values === undefined) found.set(nameOf(row), [value])
    else values.push(value)
  }
  return found
}

function nameOf(row: SqlRow): string {
  return row.slice(0, key.length).join()
}
