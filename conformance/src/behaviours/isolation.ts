import { type DescribedOperation, defaultLimits, operations, type Scope, type Store } from '@holdfast/core'
import { expect } from 'vitest'
import { type Behaviour, group } from '../behaviour.js'
import { batchOperations, invoke, invokeInBatch } from '../construction/invoke.js'
import { sampleOf } from '../construction/samples.js'
import { type Field, fieldsOf, valueAt, withValueAt } from '../construction/schema.js'
import { createWorld, type World } from '../construction/world.js'
import { dump } from '../tools/dump.js'
import { failureOf } from '../tools/refusals.js'

type Given = readonly unknown[]

async function twoWorlds(store: Store, scope: Scope) {
  const there = store.scope('elsewhere')
  const mine = await createWorld(scope, 'mine', 'treasure')
  const theirs = await createWorld(there, 'theirs', 'secret')
  return { there, mine, theirs }
}

/** The ids that an operation takes and that must exist. A sample that leaves one out tests nothing, and says so. */
function idsOf(store: Store, operation: DescribedOperation, sample: Given): readonly Field[] {
  const ids = fieldsOf(operation, store.capabilities.limits).filter(({ mark }) => mark?.refers)
  for (const { path } of ids)
    expect(valueAt(sample, path), `the sample of ${operation.name} names no id at ${path.join('.')}`).toBeTypeOf(
      'string',
    )
  return ids
}

/** What the other world calls what this id names in mine. */
function counterpart(id: unknown, mine: World, theirs: World): string {
  const name = (Object.keys(mine) as (keyof World)[]).find((key) => mine[key] === id)
  if (name === undefined) expect.fail(`${String(id)} is not an id of the world`)
  return theirs[name]
}

async function expectUnknown(call: (given: Given) => Promise<unknown>, sample: Given, field: Field, foreign: string) {
  const never = `never-${field.mark?.entity}`
  const asForeign = await failureOf(call(withValueAt(sample, field.path, foreign) as Given))
  const asNever = await failureOf(call(withValueAt(sample, field.path, never) as Given))
  const seen = ({ code, message, entity, path }: typeof asForeign) => ({ code, message, entity, path })
  expect(seen(asForeign), field.path.join('.')).toStrictEqual(seen(asNever))
  // What is expected of the head is not met by any id but the last one's, whoever's it is.
  expect(asForeign.code, field.path.join('.')).toBe(field.path.at(-1) === 'after' ? 'conflict' : 'not_found')
}

function foreignIdsAreUnknown(operation: DescribedOperation): Behaviour['run'] {
  return async ({ store, scope }) => {
    const { there, mine, theirs } = await twoWorlds(store, scope)
    const before = [await dump(scope), await dump(there)]
    const sample = sampleOf(operation.name, mine)
    for (const field of idsOf(store, operation, sample)) {
      const foreign = counterpart(valueAt(sample, field.path), mine, theirs)
      await expectUnknown((given) => invoke(scope, operation.name, given), sample, field, foreign)
    }
    expect([await dump(scope), await dump(there)]).toEqual(before)
    // The same call with ids of its own succeeds, so the refusals were about the ids.
    await invoke(scope, operation.name, sample)
    expect(await dump(there)).toEqual(before[1])
  }
}

/** Two scopes with the same ids and different content: a forgotten scope shows or changes the wrong one. */
function twinIsLeftAlone(operation: DescribedOperation): Behaviour['run'] {
  return async ({ store, scope }) => {
    const twin = store.scope('twin')
    await createWorld(twin, 'same', 'secret')
    const world = await createWorld(scope, 'same', 'treasure')
    const before = await dump(twin)
    const result = await invoke(scope, operation.name, sampleOf(operation.name, world))
    expect(JSON.stringify(result) ?? '').not.toContain('secret')
    expect(await dump(twin)).toEqual(before)
    expect(JSON.stringify(await dump(scope))).not.toContain('secret')
  }
}

/** In a scope that holds nothing, everything of mine is unknown or an empty list. */
function showsNothing(operation: DescribedOperation): Behaviour['run'] {
  return async ({ store, scope }) => {
    const mine = await createWorld(scope, 'mine', 'treasure')
    const before = await dump(scope)
    const result = await invoke(store.scope('empty'), operation.name, sampleOf(operation.name, mine)).catch(
      (error: { code?: unknown }) => {
        expect(error.code).toBe('not_found')
      },
    )
    expect(JSON.stringify(result) ?? '').not.toContain('treasure')
    expect(await dump(scope)).toEqual(before)
  }
}

const referring = operations.filter((operation) =>
  fieldsOf(operation, defaultLimits).some(({ mark }) => mark?.refers === true),
)

function forEach(
  list: readonly DescribedOperation[],
  title: (name: string) => string,
  proof: (operation: DescribedOperation) => Behaviour['run'],
) {
  return Object.fromEntries(list.map((operation) => [title(operation.name), proof(operation)]))
}

export const isolation = group('scope isolation', {
  ...forEach(
    referring,
    (name) => `${name} answers an id of another scope as one that never existed`,
    foreignIdsAreUnknown,
  ),
  ...forEach(operations, (name) => `${name} leaves a scope with the same ids alone`, twinIsLeftAlone),
  ...forEach(operations, (name) => `${name} in an empty scope shows nothing of another`, showsNothing),

  'a batch answers ids of another scope as ones that never existed': async ({ store, scope }) => {
    const { there, mine, theirs } = await twoWorlds(store, scope)
    const before = [await dump(scope), await dump(there)]
    for (const name of await batchOperations(scope)) {
      if (name === 'branches.activate') continue
      const operation = operations.find((candidate) => candidate.name === name)
      if (operation === undefined) expect.fail(`${name} of a batch is not described`)
      const sample = sampleOf(operation.name, mine)
      for (const field of idsOf(store, operation, sample)) {
        const foreign = counterpart(valueAt(sample, field.path), mine, theirs)
        await expectUnknown((given) => invokeInBatch(scope, name, given), sample, field, foreign)
      }
    }
    for (const [session, branch] of [
      [mine.session, theirs.branch],
      [theirs.session, mine.branch],
      [theirs.session, theirs.branch],
    ]) {
      const error = await failureOf(invokeInBatch(scope, 'branches.activate', [session, branch]))
      expect(error.code).toBe('not_found')
    }
    expect([await dump(scope), await dump(there)]).toEqual(before)
  },
})
