import type { Clock } from './clock.js'
import { digestOf, type Sha256 } from './digest.js'
import { invalid } from './errors.js'
import type { IdPrefix, IdSource } from './ids.js'
import type { Limits } from './limits.js'
import type { Lines } from './lines.js'
import type { Backend, Call } from './ports/backend.js'
import { exceedsBytes } from './text.js'
import type { Validate } from './validation.js'

/** What every call of a store works with. */
export interface Tools {
  readonly backend: Backend
  readonly clock: Clock
  readonly ids: IdSource
  readonly limits: Limits
  readonly sha256: Sha256
  readonly validate: Validate
  readonly lines: Lines
}

/** One call on its way: the scope it is bound to, its time, and what it minted. */
export class Work implements Call {
  readonly tools: Tools
  readonly scope: string
  readonly signal: AbortSignal | undefined
  retries = 0
  /** Named by an error whose outcome is unknown, so that the caller can repeat the call with them. */
  readonly minted: string[] = []
  #now: number | undefined

  constructor(tools: Tools, scope: string, signal: AbortSignal | undefined) {
    this.tools = tools
    this.scope = scope
    this.signal = signal
  }

  get backend(): Backend {
    return this.tools.backend
  }

  get limits(): Limits {
    return this.tools.limits
  }

  /** One time for the whole call, so that all it writes agrees. */
  get now(): number {
    this.#now ??= timeOf(this.tools.clock)
    return this.#now
  }

  /** The rows of a page that nobody gave a limit for. */
  get pageLimit(): number {
    return Math.min(50, this.tools.limits.pageRows)
  }

  mint(prefix: IdPrefix): string {
    const id = this.tools.ids(prefix)
    if (typeof id !== 'string' || id === '' || exceedsBytes(id, this.tools.limits.idBytes))
      throw invalid('The source of ids must give texts within the limit of ids.', 'ids')
    this.minted.push(id)
    return id
  }

  /** Of what the caller said; the id is what is recognised by it, so it does not count. */
  digest(input: object): string {
    return digestOf(input, this.tools.sha256)
  }
}

function timeOf(clock: Clock): number {
  const now = clock()
  if (!Number.isSafeInteger(now) || now < 0)
    throw invalid('The clock must give whole milliseconds since 1970.', 'clock')
  return now
}
