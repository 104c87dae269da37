import type { Clock } from './clock.js'
import { HoldfastError } from './errors.js'
import type { IdSource } from './ids.js'
import { defaultLimits, type Limits } from './limits.js'
import type { Observe } from './observe.js'

/** What every store takes, whatever its backend. */
export interface StoreOptions {
  /** Where times come from; the system's clock when left out. */
  readonly clock?: Clock
  /** Where ids come from; time-ordered and random when left out. */
  readonly ids?: IdSource
  /** Whole numbers from 1. */
  readonly limits?: Partial<Limits>
  /** Called after every call with what it did, never with content. What it throws is ignored. */
  readonly observe?: Observe
}

const functions = ['clock', 'ids', 'observe'] as const

/**
 * Refuses options that no store can work with. `createStore` does it; an adapter does it before it opens anything that it
 * would have to close again.
 */
export function assertStoreOptions(options: StoreOptions): void {
  if (typeof options !== 'object' || options === null) throw refused('options', 'must be an object')
  for (const name of functions)
    if (options[name] !== undefined && typeof options[name] !== 'function') throw refused(name, 'must be a function')
  const { limits = {} } = options
  if (typeof limits !== 'object' || limits === null) throw refused('limits', 'must be an object')
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(defaultLimits, name)) throw refused('limits', 'has a field that is no limit')
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 1))
      throw refused(`limits.${name}`, 'must be a whole number from 1')
  }
}

/** The limits that were given, and the usual ones where none was. */
export function limitsOf({ limits = {} }: StoreOptions): Limits {
  const given = Object.entries(limits).filter(([, value]) => value !== undefined)
  return { ...defaultLimits, ...Object.fromEntries(given) }
}

function refused(path: string, problem: string): HoldfastError {
  return new HoldfastError('invalid', `The option ${path} ${problem}.`, { entity: 'store', path })
}
