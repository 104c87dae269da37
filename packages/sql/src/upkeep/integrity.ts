import { type Call, createPause, type IntegrityProblem } from '@holdfast/core'
import { bind, type Compiler } from '../compile.js'
import type { SqlExecutor } from '../executor.js'
import { reportTo } from './findings.js'
import { lookAtMessages } from './look-at-messages.js'
import { lookAtSessions } from './look-at-sessions.js'
import { looksAtTexts } from './look-at-texts.js'
import { rulesOfColumns } from './rules-of-columns.js'
import { rulesOfPlaces } from './rules-of-places.js'
import { rulesOfReferences } from './rules-of-references.js'

export type CheckIntegrity = (call: Call) => Promise<readonly IntegrityProblem[]>

/**
 * Looks for what must not be: first what the engine and the database can find, rule by rule, then what only a look at
 * every row can. Each rule and each stretch of rows is a snapshot of its own, so that no writer waits for all of them.
 */
export function integrityCheck(executor: SqlExecutor, compiler: Compiler): CheckIntegrity {
  const rules = [...rulesOfReferences(compiler), ...rulesOfPlaces(compiler), ...rulesOfColumns(compiler)]
  const looks = [
    lookAtSessions(executor, compiler),
    lookAtMessages(executor, compiler),
    ...looksAtTexts(executor, compiler),
  ]
  const { checks } = compiler.traits.engine

  return async (call) => {
    const problems: IntegrityProblem[] = []
    const pause = createPause()
    for (const { statement, problem } of checks) {
      const [rows = []] = await executor.read([{ statement, values: [] }], { scope: null }, call)
      for (const row of rows) {
        const detail = problem(row)
        if (detail !== undefined) problems.push({ kind: 'engine', detail })
      }
    }
    for (const { kind, broken } of rules) {
      const [rows = []] = await executor.read([bind(broken, {})], { scope: null }, call)
      for (const keys of rows) problems.push({ kind, detail: `${broken.name} (${keys.join(', ')})` })
      await pause()
    }
    const report = reportTo(problems)
    for (const look of looks) await look(report, call)
    return problems
  }
}
