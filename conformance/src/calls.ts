import { type Admin, isHoldfastError, type Scope, type Store } from '@holdfast/core'

// Imported by child processes too: nothing here may need the test runner.

/** A call of the public API as data, so that another process can make it. */
export interface PlannedCall<Result = unknown> {
  /** Null for administration, which crosses scopes. */
  readonly scope: string | null
  /** Such as `messages.append`. */
  readonly name: string
  readonly given: readonly unknown[]
  /** Never there: it only tells the compiler what the call answers. */
  readonly answers?: Result
}

/** How a call ended: as it should, or because others were faster. */
export type Outcome<Result = unknown> =
  | { readonly done: true; readonly result: Result }
  | { readonly done: false; readonly lostBy: Loss; readonly reason: string }

/** The only answers to whoever comes too late. */
const losses = ['not_found', 'conflict'] as const
type Loss = (typeof losses)[number]

/** The same methods, which write down the call instead of making it. */
type Recorded<Api> = {
  readonly [Name in keyof Api]: Api[Name] extends (...given: infer Given) => Promise<infer Result>
    ? (...given: Given) => PlannedCall<Result>
    : Recorded<Api[Name]>
}

interface RecordedScope extends Recorded<Omit<Scope, 'id' | 'batch'>> {
  /** What a builder would do, as the calls that it would make. */
  batch(...writes: readonly PlannedCall[]): PlannedCall
}

/** Calls in a scope, as data. */
export function callsIn(scope: string): RecordedScope {
  // Whatever is asked of it is recorded under its name, and the type says which names there are.
  return recorder(scope, []) as RecordedScope
}

/** Calls of administration, as data. */
export const adminCalls = recorder(null, []) as Recorded<Admin>

function recorder(scope: string | null, path: readonly string[]): unknown {
  const record = (...given: readonly unknown[]): PlannedCall => ({ scope, name: path.join('.'), given })
  return new Proxy(record, { get: (_, name) => recorder(scope, [...path, String(name)]) })
}

/** Makes calls in their order, so many at the same time, and tells how each of them ended. Any other end is thrown. */
export async function makeCalls<Result>(
  store: Store,
  calls: readonly PlannedCall<Result>[],
  lanes: number,
): Promise<readonly Outcome<Result>[]> {
  const outcomes: Outcome<Result>[] = []
  const waiting = calls.entries()
  const lane = async () => {
    for (const [index, call] of waiting) outcomes[index] = await outcomeOf(makeCall(store, call))
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return outcomes
}

async function makeCall<Result>(store: Store, { scope, name, given }: PlannedCall<Result>): Promise<Result> {
  const target = scope === null ? store.admin : store.scope(scope)
  // What a call answers was taken from the method of this name.
  if (scope === null || name !== 'batch') return methodOf(target, name)(...given) as Result
  // The recorder of a batch takes nothing but calls.
  const writes = given as readonly PlannedCall[]
  return store.scope(scope).batch((write) => {
    for (const each of writes) methodOf(write, each.name)(...each.given)
  }) as Result
}

type Method = (...given: readonly unknown[]) => unknown

function methodOf(target: object, name: string): Method {
  const path = name.split('.')
  const method = path.pop() ?? ''
  const owner = path.reduce<object>((object, key) => Reflect.get(object, key), target)
  return (...given) => Reflect.apply(Reflect.get(owner, method), owner, given)
}

async function outcomeOf<Result>(call: Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { done: true, result: await call }
  } catch (error) {
    const lostBy = losses.find((code) => isHoldfastError(error, code))
    if (lostBy === undefined) throw error
    return { done: false, lostBy, reason: String(error) }
  }
}
