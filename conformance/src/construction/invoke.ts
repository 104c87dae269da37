import type { BatchWriter, OperationName, Scope } from '@holdfast/core'
import { collect } from '../tools/content.js'

type Method = (...given: readonly unknown[]) => unknown

/** Calls an operation by its name, and reads an iteration to its end. */
export async function invoke(scope: Scope, name: OperationName, given: readonly unknown[]): Promise<unknown> {
  const result = methodOf(scope, name)(...given)
  return isAsyncIterable(result) ? collect(result) : result
}

/** The operations that a batch can hold, found on the writer itself. */
export async function batchOperations(scope: Scope): Promise<readonly string[]> {
  return scope.batch((write) =>
    Object.entries(write).flatMap(([repository, methods]) =>
      Object.keys(methods).map((method) => `${repository}.${method}`),
    ),
  )
}

/** Writes one operation as a batch of its own. */
export async function invokeInBatch(scope: Scope, name: string, given: readonly unknown[]): Promise<unknown> {
  return scope.batch((write) => methodOf(write, name)(...given))
}

function methodOf(target: Scope | BatchWriter, name: string): Method {
  const [repository = '', method = ''] = name.split('.')
  // A name is looked up as a name: whoever goes through all operations knows no more of them.
  const methods = (target as unknown as Record<string, Record<string, Method>>)[repository]
  const found = methods?.[method]
  if (found === undefined) throw new Error(`There is no operation ${name}.`)
  return (...given) => found.apply(methods, [...given])
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
