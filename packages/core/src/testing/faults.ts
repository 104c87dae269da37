import type { ErrorCode } from '../errors.js'
import type { Backend } from '../ports/backend.js'

/** What happens to a call: it fails before it reaches the backend, or its answer is lost after it was carried out. */
export type Fault = 'before' | 'after'

export interface FaultPoint {
  /** Such as `commit` or `messages.page`. */
  readonly method: string
  /** The number of this call among all calls of the backend, from 1. */
  readonly nth: number
}

export class InjectedFault extends Error {
  override readonly name = 'InjectedFault'
  readonly outcome: ErrorCode

  constructor(outcome: ErrorCode) {
    super('A fault was injected.')
    this.outcome = outcome
  }
}

const groups = ['sessions', 'branches', 'messages', 'labels', 'journal', 'upkeep'] as const

/**
 * A backend that fails where it is told to. A lost read is `unavailable`; a lost commit is `outcome_unknown` when it was
 * carried out, and `unavailable` when it was not.
 *
 * @example
 * ```ts
 * const backend = withFaults(createMemoryBackend(), ({ nth }) => (nth === 3 ? 'after' : undefined))
 * ```
 */
export function withFaults(backend: Backend, faultAt: (point: FaultPoint) => Fault | undefined): Backend {
  let calls = 0

  const faulty =
    <Arguments extends readonly unknown[], Result>(method: string, run: (...given: Arguments) => Promise<Result>) =>
    async (...given: Arguments): Promise<Result> => {
      const fault = faultAt({ method, nth: ++calls })
      if (fault === 'before') throw new InjectedFault('unavailable')
      const result = await run(...given)
      if (fault === 'after') throw new InjectedFault(method === 'commit' ? 'outcome_unknown' : 'unavailable')
      return result
    }

  const wrapped: Record<string, unknown> = {}
  for (const group of groups) {
    const methods = Object.entries(backend[group])
    wrapped[group] = Object.fromEntries(
      methods.map(([name, run]) => [name, faulty(`${group}.${name}`, run.bind(backend[group]))]),
    )
  }
  return {
    ...backend,
    // Each group has the methods it had, with the same types.
    ...(wrapped as unknown as Pick<Backend, (typeof groups)[number]>),
    commit: faulty('commit', backend.commit.bind(backend)),
    classify: (error) =>
      error instanceof InjectedFault
        ? { code: error.outcome, message: 'A fault was injected.' }
        : backend.classify(error),
    close: () => backend.close(),
  }
}
