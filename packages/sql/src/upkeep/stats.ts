import type { BackendStats, Call } from '@holdfast/core'
import { bind, type Compiled, type Compiler, type Scoped } from '../compile.js'
import type { Query, SqlExecutor, SqlRow } from '../executor.js'
import type { Database } from '../schema/tables.js'
import { deletedShelf } from '../shown.js'

type Counted = Exclude<keyof Database, 'holdfast_scopes'>

const counted: readonly Counted[] = [
  'holdfast_sessions',
  'holdfast_branches',
  'holdfast_messages',
  'holdfast_parts',
  'holdfast_labels',
  'holdfast_journal',
]

export type ReadStats = (scope: string | null, call: Call) => Promise<BackendStats>

export function statistics(executor: SqlExecutor, compiler: Compiler): ReadStats {
  const { engine, dialect } = compiler.traits
  const ofScope = scopeStatements(compiler)
  const ofAll = storeStatements(compiler)

  return async (scope, call) => {
    const queries: Query[] =
      scope === null ? ofAll.map((statement) => bind(statement, {})) : ofScope.map((each) => bind(each, { scope }))
    const asked = scope === null ? [engine.bytes] : []
    const about = [engine.settings, ...asked].map((statement) => ({ statement, values: [] }))
    const [scopes, statuses, ...rest] = await executor.read([...queries, ...about], { scope }, call)
    const [settings = [], bytes] = rest.slice(counted.length)
    const rows: Record<string, number> = { scopes: firstNumber(scopes) }
    for (const [at, table] of counted.entries()) rows[table.replace('holdfast_', '')] = firstNumber(rest[at])
    return {
      bytes: bytes === undefined ? null : firstNumber(bytes),
      rows,
      sessionsByStatus: Object.fromEntries((statuses ?? []).map(([status, count]) => [String(status), Number(count)])),
      engine: { name: dialect, ...Object.fromEntries(settings.map(([name, value]) => [String(name), value ?? ''])) },
    }
  }
}

function firstNumber(rows: readonly SqlRow[] | undefined): number {
  return Number(rows?.[0]?.[0] ?? 0)
}

function scopeStatements({ compile }: Compiler): readonly Compiled<Scoped>[] {
  return [
    compile<Scoped>('count a scope', ({ db, scope }) =>
      db
        .selectFrom('holdfast_scopes')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('key', '=', scope),
    ),
    compile<Scoped>('count the sessions of a scope by status', ({ db, scope }) =>
      db
        .selectFrom('holdfast_sessions')
        .select((eb) => ['status', eb.fn.countAll().as('count')])
        .where('scope', '=', scope)
        .where('shelf', '<', deletedShelf)
        .groupBy('status'),
    ),
    ...counted.map((table) =>
      compile<Scoped>(`count ${table} of a scope`, ({ db, scope }) =>
        db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll().as('count'))
          .where('scope', '=', scope),
      ),
    ),
  ]
}

function storeStatements({ compileAcross }: Compiler): readonly Compiled<object>[] {
  return [
    compileAcross<object>('count scopes', ({ db }) =>
      db
        .selectFrom('holdfast_scopes')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('id', 'is not', null),
    ),
    compileAcross<object>('count sessions by status', ({ db }) =>
      db
        .selectFrom('holdfast_sessions as s')
        .innerJoin('holdfast_scopes as scope', 'scope.key', 's.scope')
        .select((eb) => ['s.status', eb.fn.countAll().as('count')])
        .where('s.shelf', '<', deletedShelf)
        .where('scope.id', 'is not', null)
        .groupBy('s.status'),
    ),
    ...counted.map((table) =>
      compileAcross<object>(`count ${table}`, ({ db }) =>
        db.selectFrom(table).select((eb) => eb.fn.countAll().as('count')),
      ),
    ),
  ]
}
