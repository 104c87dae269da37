import type { Capabilities } from './capabilities.js'
import { systemClock } from './clock.js'
import { aborted, HoldfastError, isHoldfastError } from './errors.js'
import { createIdSource } from './ids.js'
import { Lines } from './lines.js'
import { idOf } from './model/primitives.js'
import type { Observation, Observe } from './observe.js'
import type { Operation } from './operation.js'
import { adminOperations, scopeAdminOperations } from './operations/admin.js'
import type { Admin } from './ports/admin.js'
import type { Backend } from './ports/backend.js'
import type { Scope, Store } from './ports/store.js'
import { ScopeHandle } from './scope.js'
import { sha256 } from './sha256.js'
import { assertStoreOptions, limitsOf, type StoreOptions } from './store-options.js'
import { createValidator } from './validation.js'
import { type Tools, Work } from './work.js'

/**
 * Puts the contract on a backend. Options that make no sense are `invalid`.
 *
 * @example
 * ```ts
 * const store = createStore(createMemoryBackend())
 * const session = await store.scope('default').sessions.create({ title: 'Trip to Oslo' })
 * ```
 */
export function createStore(backend: Backend, options: StoreOptions = {}): Store {
  return new StoreHandle(backend, options)
}

const adminScope = ''

export class StoreHandle implements Store {
  readonly capabilities: Capabilities
  readonly admin: Admin
  readonly #tools: Tools
  readonly #observe: Observe | undefined
  readonly #scopeId
  #underWay = 0
  #closing: Promise<void> | undefined
  #idle: (() => void) | undefined

  constructor(backend: Backend, options: StoreOptions) {
    assertStoreOptions(options)
    const limits = limitsOf(options)
    const clock = options.clock ?? systemClock
    this.#tools = {
      backend,
      clock,
      limits,
      ids: options.ids ?? createIdSource(clock),
      sha256: backend.sha256 ?? sha256,
      validate: createValidator(limits),
      lines: new Lines(),
    }
    this.#observe = options.observe
    this.#scopeId = { arguments: () => ({ scope: idOf('scope', limits) }) }
    this.capabilities = { ...backend.capabilities, limits }
    this.admin = this.#createAdmin()
  }

  scope(id: string): Scope {
    this.#tools.validate(this.#scopeId, [id])
    return new ScopeHandle(this, id)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    if (this.#underWay > 0)
      await new Promise<void>((resolve) => {
        this.#idle = resolve
      })
    await this.#tools.backend.close()
  }

  /** Carries out one call: checks, runs, wraps what fails, and tells the observer. */
  async perform<Arguments extends readonly unknown[], Result>(
    name: string,
    operation: Operation<Arguments, Result>,
    scope: string,
    given: Arguments,
  ): Promise<Result> {
    const started = this.#observe ? performance.now() : 0
    let work: Work | undefined
    let code: Observation['code'] = null
    let rows = 0
    this.#underWay++
    try {
      if (this.#closing) throw new HoldfastError('closed', 'The store is closed. Open it again.', { operation: name })
      this.#tools.validate(operation, given)
      work = new Work(this.#tools, scope, signalOf(given))
      if (work.signal?.aborted) throw aborted()
      const result = await operation.run(work, ...given)
      if (this.#observe) rows = rowsOf(result)
      return result
    } catch (error) {
      const wrapped = this.#wrap(error, name, work)
      code = isHoldfastError(wrapped) ? wrapped.code : 'other'
      throw wrapped
    } finally {
      if (this.#observe) {
        const durationMs = performance.now() - started
        observeSafely(this.#observe, { operation: name, durationMs, rows, retries: work?.retries ?? 0, code })
      }
      if (--this.#underWay === 0) this.#idle?.()
    }
  }

  /** The one place where an error of a backend becomes one of the library. */
  #wrap(error: unknown, operation: string, work: Work | undefined): unknown {
    if (isHoldfastError(error)) return error
    const classified = this.#tools.backend.classify(error)
    if (classified === undefined) return error
    return new HoldfastError(classified.code, classified.message, {
      operation,
      cause: withoutContent(error),
      ...(classified.code === 'outcome_unknown' && work && { ids: work.minted }),
    })
  }

  #createAdmin(): Admin {
    const method =
      <Arguments extends readonly unknown[], Result>(name: string, operation: Operation<Arguments, Result>) =>
      (...given: Arguments): Promise<Result> =>
        this.perform(name, operation, adminScope, given)
    return {
      scopes: {
        list: method('admin.scopes.list', scopeAdminOperations.list),
        stats: method('admin.scopes.stats', scopeAdminOperations.stats),
        delete: method('admin.scopes.delete', scopeAdminOperations.delete),
      },
      stats: method('admin.stats', adminOperations.stats),
      integrity: method('admin.integrity', adminOperations.integrity),
      sweep: method('admin.sweep', adminOperations.sweep),
    }
  }
}

/** Only options have a field of that name; they were validated. */
function signalOf(given: readonly unknown[]): AbortSignal | undefined {
  for (const argument of given)
    if (typeof argument === 'object' && argument !== null && 'signal' in argument)
      return argument.signal as AbortSignal | undefined
  return undefined
}

function rowsOf(result: unknown): number {
  if (result === undefined || result === null) return 0
  if (Array.isArray(result)) return result.length
  if (typeof result === 'object' && 'items' in result && Array.isArray(result.items)) return result.items.length
  return 1
}

/** An observer that fails must not fail the call. */
function observeSafely(observe: Observe, observation: Observation): void {
  try {
    observe(observation)
  } catch {
    // Nothing to do: the call is what matters, and there is nobody to tell.
  }
}

/** A driver's error may quote what was stored. Its kind, its code and where it was thrown may be kept. */
function withoutContent(error: unknown): Error {
  const kept = new Error('The message of the driver is left out: it may hold content.')
  if (!(error instanceof Error)) return kept
  kept.name = error.name
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
  kept.stack = [`${error.name}: ${kept.message}`, ...frames].join('\n')
  if ('code' in error && typeof error.code === 'string') Object.assign(kept, { code: error.code })
  return kept
}
