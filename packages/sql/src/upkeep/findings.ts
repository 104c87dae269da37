import type { IntegrityProblem } from '@holdfast/core'
import type { SqlRow } from '../executor.js'
import { problemsPerRule } from './rule.js'

// What only a look at the rows themselves can find: a database knows nothing of JSON. Each has its name, as a rule has,
// and is reported with keys, never with content.
//
// Not looked at: what a session spent, which is a sum over messages and journal; digests, which are taken of what a
// caller said first and cannot be taken again once something was settled; and what is inside of a payload beyond the
// three fields that have columns.

const findings = {
  'a session with a text that is not JSON': 'engine',
  'a session whose folded title is not of its title': 'count',
  'a session whose participants are not its labels': 'count',
  'a session whose status is not the latest of its journal': 'count',
  'a branch with a text that is not JSON': 'engine',
  'a message with a text that is not JSON': 'engine',
  'a message whose size is not that of what it holds': 'count',
  'a part whose payload is not JSON': 'engine',
  'a part whose type, state or call is not that of its payload': 'count',
  'a journal entry whose payload is not JSON': 'engine',
} as const satisfies Record<string, IntegrityProblem['kind']>

export type Finding = keyof typeof findings

export const everyFinding = Object.keys(findings)

/** Takes down what is found; of each kind enough to see what is wrong. */
export type Report = (finding: Finding, keys: SqlRow) => void

export function reportTo(problems: IntegrityProblem[]): Report {
  const counts = new Map<Finding, number>()
  return (finding, keys) => {
    const count = (counts.get(finding) ?? 0) + 1
    counts.set(finding, count)
    if (count <= problemsPerRule) problems.push({ kind: findings[finding], detail: `${finding} (${keys.join(', ')})` })
  }
}

/** What a text stands for; undefined when it is not JSON. */
export function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}

export function allJson(texts: SqlRow): boolean {
  return texts.every((text) => text === null || parsed(text) !== undefined)
}
