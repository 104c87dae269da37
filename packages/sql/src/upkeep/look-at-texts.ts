import { sql } from 'kysely'
import { under } from '../codec/columns.js'
import { bind, type Compiled, type Compiler } from '../compile.js'
import type { SqlExecutor } from '../executor.js'
import { allJson, type Finding } from './findings.js'
import type { Look } from './look.js'
import { type Ahead, type Beginning, charactersIn, keyOrder, rowsAhead, type Stretch, stretches } from './stretches.js'

/** Branches and journal entries, of which only the JSON needs to be looked at. */
export function looksAtTexts(executor: SqlExecutor, compiler: Compiler): readonly Look[] {
  const look =
    (finding: Finding, keyColumns: number, ahead: Ahead, texts: Compiled<Stretch>): Look =>
    async (report, call) => {
      for await (const stretch of stretches(executor, ahead, keyColumns, call)) {
        const [rows = []] = await executor.read([bind(texts, stretch)], { scope: null }, call)
        for (const row of rows) if (!allJson(row.slice(keyColumns))) report(finding, row.slice(0, keyColumns))
      }
    }
  const branches = ofBranches(compiler)
  const entries = ofEntries(compiler)
  return [
    look('a branch with a text that is not JSON', 2, branches.ahead, branches.texts),
    look('a journal entry whose payload is not JSON', 3, entries.ahead, entries.texts),
  ]
}

function ofBranches(compiler: Compiler) {
  const key = ['scope', 'key'] as const
  const { order, isAfter, isWithin } = keyOrder(compiler, 'b', key)
  const texts = ['b.agent_config_json', 'b.metadata_json'] as const
  return {
    ahead: compiler.compileAcross<Beginning>('find the next branches to look at', (writing) =>
      writing.db
        .selectFrom('holdfast_branches as b')
        .select(under('b', key))
        .select(charactersIn(texts).as('characters'))
        .where(isAfter(writing))
        .orderBy(order)
        .limit(sql.lit(rowsAhead)),
    ),
    texts: compiler.compileAcross<Stretch>('look at branches', (writing) =>
      writing.db
        .selectFrom('holdfast_branches as b')
        .select(under('b', key))
        .select(texts)
        .where(isWithin(writing))
        .orderBy(order),
    ),
  }
}

function ofEntries(compiler: Compiler) {
  const key = ['scope', 'session', 'seq'] as const
  const { order, isAfter, isWithin } = keyOrder(compiler, 'j', key)
  return {
    // Most entries hold keys only and have no payload.
    ahead: compiler.compileAcross<Beginning>('find the next journal entries to look at', (writing) =>
      writing.db
        .selectFrom('holdfast_journal as j')
        .select(under('j', key))
        .select(charactersIn(['j.payload_json']).as('characters'))
        .where('j.payload_json', 'is not', null)
        .where(isAfter(writing))
        .orderBy(order)
        .limit(sql.lit(rowsAhead)),
    ),
    texts: compiler.compileAcross<Stretch>('look at journal entries', (writing) =>
      writing.db
        .selectFrom('holdfast_journal as j')
        .select(under('j', key))
        .select('j.payload_json')
        .where('j.payload_json', 'is not', null)
        .where(isWithin(writing))
        .orderBy(order),
    ),
  }
}
