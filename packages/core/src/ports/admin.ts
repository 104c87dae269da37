import type { Page } from '../model/page.js'
import type { CallOptions } from '../model/primitives.js'
import type { BackendStats, IntegrityProblem } from './backend.js'
import type { PageOptions } from './labels.js'

/** The only calls that cross scopes. */
export interface Admin {
  readonly scopes: {
    /** The scopes that hold something, in the order of their bytes. */
    list(options?: PageOptions): Promise<Page<string>>
    stats(scope: string, options?: CallOptions): Promise<StoreStats>
    /** Deletes a scope whole. `not_found` when it holds nothing. */
    delete(scope: string, options?: CallOptions): Promise<void>
  }
  stats(options?: CallOptions): Promise<StoreStats>
  /** Checks the engine, the pointers, the positions and the counts. An empty list of problems is what you want. */
  integrity(options?: CallOptions): Promise<IntegrityReport>
  /** Finishes deletions that a crash interrupted. */
  sweep(options?: CallOptions): Promise<void>
}

export type StoreStats = BackendStats

export interface IntegrityReport {
  readonly ok: boolean
  readonly problems: readonly IntegrityProblem[]
}
