import {
  type DescribedOperation,
  defaultLimits,
  isHoldfastError,
  operations,
  type Scope,
  type Store,
} from '@holdfast/core'
import { expect } from 'vitest'
import { type Behaviour, group } from '../behaviour.js'
import { batchOperations, invoke, invokeInBatch } from '../construction/invoke.js'
import { sampleOf } from '../construction/samples.js'
import { fieldsOf, withValueAt } from '../construction/schema.js'
import { createWorld } from '../construction/world.js'
import { exoticObjects, hostileTexts, wrongValuesFor } from '../construction/wrong-values.js'
import { dump } from '../tools/dump.js'

type Given = readonly unknown[]

interface Attempt {
  /** The number of the argument that was replaced, or of which a field was. */
  readonly argument: number
  /** What was replaced by what, for the message of a failure. */
  readonly what: string
  readonly given: Given
}

/** Every argument and every field of it replaced by values of the wrong kind. */
function wrongArguments(operation: DescribedOperation, store: Store, sample: Given): readonly Attempt[] {
  return fieldsOf(operation, store.capabilities.limits).flatMap((field) =>
    wrongValuesFor(field).map((value) => ({
      argument: Number(field.path[0]),
      what: `${operation.name} with ${describe(value)} at ${field.path.join('.')}`,
      given: withValueAt(sample, field.path, value) as Given,
    })),
  )
}

/** Every text replaced by one that reaches for SQL, the prototype or the file system. */
function hostileArguments(operation: DescribedOperation, store: Store, sample: Given): readonly Attempt[] {
  return fieldsOf(operation, store.capabilities.limits)
    .filter(({ kind }) => kind === 'string')
    .flatMap(({ path }) =>
      hostileTexts.map((text) => ({
        argument: Number(path[0]),
        what: `${operation.name} with ${text} at ${path.join('.')}`,
        given: withValueAt(sample, path, text) as Given,
      })),
    )
}

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 20))
  return typeof value === 'object' && value !== null ? Object.prototype.toString.call(value) : String(value)
}

async function codeOf(call: Promise<unknown>): Promise<string | null> {
  try {
    await call
    return null
  } catch (error) {
    return isHoldfastError(error) ? error.code : `${error}`
  }
}

function wrongArgumentsAreRefused(operation: DescribedOperation): Behaviour['run'] {
  return async ({ store, scope }) => {
    const sample = sampleOf(operation.name, await createWorld(scope, 'mine', 'treasure'))
    const before = await dump(scope)
    for (const { what, given } of wrongArguments(operation, store, sample))
      expect(['invalid', 'too_large'], what).toContain(await codeOf(invoke(scope, operation.name, given)))
    expect(await dump(scope)).toEqual(before)
    expect('a' in {}).toBe(false)
  }
}

function hostileTextsAreData(operation: DescribedOperation): Behaviour['run'] {
  return async ({ store, scope }) => {
    const bystander = store.scope('bystander')
    await createWorld(bystander, 'theirs', 'treasure')
    const sample = sampleOf(operation.name, await createWorld(scope, 'mine', 'treasure'))
    const untouched = await dump(bystander)
    let before = await dump(scope)
    for (const { what, given } of hostileArguments(operation, store, sample)) {
      const code = await codeOf(invoke(scope, operation.name, given))
      expect([null, 'invalid', 'too_large', 'not_found', 'conflict'], what).toContain(code)
      const after = await dump(scope)
      if (code !== null || operation.access === 'read') expect(after, what).toEqual(before)
      before = after
    }
    expect(await dump(bystander)).toEqual(untouched)
    expect((await store.admin.integrity()).problems).toEqual([])
  }
}

const forEach = (title: (name: string) => string, proof: (operation: DescribedOperation) => Behaviour['run']) =>
  Object.fromEntries(operations.map((operation) => [title(operation.name), proof(operation)]))

async function refusedInBatch(store: Store, scope: Scope, name: string, sample: Given): Promise<void> {
  const operation = operations.find((candidate) => candidate.name === name)
  if (operation === undefined) expect.fail(`${name} of a batch is not described`)
  // A batch takes its signal as a whole, so its writes have no options but those of an append.
  const taken = name.startsWith('messages.append') ? 3 : Object.keys(operation.arguments(defaultLimits)).length - 1
  for (const { what, given } of wrongArguments(operation, store, sample).filter(({ argument }) => argument < taken))
    expect(['invalid', 'too_large'], what).toContain(await codeOf(invokeInBatch(scope, name, given)))
}

export const badInput = group('bad input', {
  ...forEach((name) => `${name} refuses arguments of the wrong kind and writes nothing`, wrongArgumentsAreRefused),
  ...forEach((name) => `${name} takes hostile texts as data or refuses them`, hostileTextsAreData),

  'an object of another kind is invalid wherever plain fields are expected': async ({ store, scope }) => {
    const world = await createWorld(scope, 'mine', 'treasure')
    const before = await dump(scope)
    const lenient: string[] = []
    for (const operation of operations)
      for (const { path, kind } of fieldsOf(operation, store.capabilities.limits))
        for (const object of kind === 'object' ? exoticObjects : []) {
          const given = withValueAt(sampleOf(operation.name, world), path, object) as Given
          const code = await codeOf(invoke(scope, operation.name, given))
          if (code !== 'invalid') lenient.push(`${operation.name} at ${path.join('.')}: ${describe(object)} is ${code}`)
        }
    expect(lenient).toEqual([])
    expect(await dump(scope)).toEqual(before)
  },

  'a batch refuses arguments of the wrong kind and writes nothing': async ({ store, scope }) => {
    const world = await createWorld(scope, 'mine', 'treasure')
    const before = await dump(scope)
    for (const name of await batchOperations(scope)) {
      if (name === 'branches.activate') continue
      const sample = sampleOf(name as DescribedOperation['name'], world)
      await refusedInBatch(store, scope, name, sample)
    }
    for (const bad of [5, null, undefined, {}, '\u0000', 'x'.repeat(10_000)]) {
      expect(['invalid', 'too_large']).toContain(
        await codeOf(invokeInBatch(scope, 'branches.activate', [bad, world.branch])),
      )
      expect(['invalid', 'too_large']).toContain(
        await codeOf(invokeInBatch(scope, 'branches.activate', [world.session, bad])),
      )
    }
    expect(await dump(scope)).toEqual(before)
  },

  'a batch without a builder is invalid': async ({ scope }) => {
    // The types forbid it; the test is what happens when they are not heeded.
    for (const bad of [undefined, null, 5, 'text', {}, []])
      expect(await codeOf(scope.batch(bad as unknown as () => void))).toBe('invalid')
  },

  'a scope needs a text that can be stored': async ({ store }) => {
    for (const bad of [undefined, null, 5, {}, [], '', 'a\u0000b', '\ud800', 'x'.repeat(129)]) {
      const open = async () => store.scope(bad as string).sessions.count()
      expect(['invalid', 'too_large']).toContain(await codeOf(open()))
    }
  },

  'administrative calls refuse arguments of the wrong kind': async ({ store }) => {
    // The types forbid it; the test is what happens when they are not heeded.
    const { scopes, ...calls } = store.admin as unknown as Record<string, (given: unknown) => Promise<unknown>> & {
      scopes: Record<string, (given: unknown) => Promise<unknown>>
    }
    for (const [name, call] of Object.entries({ ...calls, ...scopes }))
      for (const bad of [5, 'a\u0000b', [], null, () => 1, { undeclared: 1 }, { signal: 5 }, { limit: 0 }])
        expect(await codeOf(call(bad)), `${name} with ${describe(bad)}`).toBe('invalid')
  },
})
