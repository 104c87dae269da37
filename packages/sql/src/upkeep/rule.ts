import type { IntegrityProblem } from '@holdfast/core'
import type { Compiled } from '../compile.js'

/** A query that finds what must not be: its name says what, its rows are keys and never content. */
export interface Rule {
  readonly kind: IntegrityProblem['kind']
  readonly broken: Compiled<object>
}

/** Enough to see what is wrong, also where everything is. */
export const problemsPerRule = 100
