import type { Scope } from '@holdfast/core'

/** A scope that writes down every call, so that a failing sequence can be read as what it did. */
export function traced(scope: Scope, trace: string[]): Scope {
  return new Proxy(scope, {
    get: (target, repository) => {
      const value: unknown = Reflect.get(target, repository, target)
      return typeof value === 'object' && value !== null ? tracedRepository(value, String(repository), trace) : value
    },
  })
}

function tracedRepository(repository: object, name: string, trace: string[]): object {
  return new Proxy(repository, {
    get: (target, method) => {
      const value: unknown = Reflect.get(target, method, target)
      if (typeof value !== 'function') return value
      return (...given: readonly unknown[]) => {
        trace.push(`${name}.${String(method)}(${given.map((argument) => JSON.stringify(argument)).join(', ')})`)
        return value.apply(target, given)
      }
    },
  })
}
