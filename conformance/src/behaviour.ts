import type { Capabilities } from '@holdfast/core'
import type { Context } from './context.js'

/** One sentence of the contract and the proof of it. Data, so that it can be run without a test runner. */
export interface Behaviour {
  readonly title: string
  readonly requires: Requirement | undefined
  run(context: Context): Promise<void>
}

/** Behaviours that belong together: one row of the report. */
export interface Group {
  readonly name: string
  readonly behaviours: readonly Behaviour[]
}

/** A fact that a store must declare before something is owed. It is read from the store, never from test options. */
export interface Requirement {
  /** What the store does not declare when the requirement is not met. */
  readonly missing: string
  met(capabilities: Capabilities): boolean
}

export function group(name: string, proofs: Readonly<Record<string, Behaviour['run']>>, requires?: Requirement): Group {
  return {
    name,
    behaviours: Object.entries(proofs).map(([title, run]) => ({ title, requires, run })),
  }
}
