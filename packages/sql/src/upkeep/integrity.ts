import type { Call, IntegrityProblem } from '@holdfast/core'
import { bind, type Compiler } from '../compile.js'
import type { SqlExecutor } from '../executor.js'
import { rulesOfPlaces } from './rules-of-places.js'
import { rulesOfReferences } from './rules-of-references.js'

export type CheckIntegrity = (call: Call) => Promise<readonly IntegrityProblem[]>

/** Looks for what must not be, rule by rule: each is a snapshot of its own, so that no writer waits for all of them. */
export function integrityCheck(executor: SqlExecutor, compiler: Compiler): CheckIntegrity {
  const rules = [...rulesOfReferences(compiler), ...rulesOfPlaces(compiler)]
  const { checks } = compiler.traits.engine

  return async (call) => {
    const problems: IntegrityProblem[] = []
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
    }
    return problems
  }
}
