import type { z } from 'zod'
import type { Limits } from './limits.js'
import type { Work } from './work.js'

/**
 * One call of the public API, described once: scope methods, `observe`, and the tests with foreign ids and bad input
 * follow from it.
 */
export interface Operation<Arguments extends readonly unknown[] = never, Result = unknown> {
  readonly access: 'read' | 'write'
  /** The name and schema of each argument, in order. */
  readonly arguments: (limits: Limits) => Readonly<Record<string, z.ZodType>>
  readonly run: (work: Work, ...given: Arguments) => Promise<Result>
}

/** The operations behind the methods of a repository: each described, none forgotten. */
export type OperationsOf<Repository> = {
  readonly [Method in keyof Repository]: Repository[Method] extends (...given: infer Arguments) => Promise<infer Result>
    ? Operation<Arguments, Result>
    : never
}
