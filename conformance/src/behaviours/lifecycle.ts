import { defaultLimits, operations, type StoreOptions } from '@holdfast/core'
import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { invoke } from '../construction/invoke.js'
import { sampleOf } from '../construction/samples.js'
import { createWorld } from '../construction/world.js'
import { conversation, says } from '../tools/content.js'
import { dump } from '../tools/dump.js'
import { outcomes, refused } from '../tools/refusals.js'

export const lifecycle = group('lifecycle', {
  'options that no store can work with are invalid': async ({ fresh }) => {
    // The types forbid most of it; the test is what happens when they are not heeded.
    const wrong = [
      { limits: { pageRows: -1 } },
      { limits: { pageRows: 0 } },
      { limits: { partBytes: 1.5 } },
      { limits: { jsonDepth: Number.POSITIVE_INFINITY } },
      { limits: { idBytes: '128' } },
      { limits: { undeclared: 1 } },
      { limits: null },
      { limits: 5 },
      { clock: 5 },
      { clock: null },
      { ids: 'ids' },
      { observe: {} },
    ] as unknown as StoreOptions[]
    for (const options of wrong) await refused('invalid', fresh(options))
    const usual = await fresh({ limits: { pageRows: undefined } } as unknown as StoreOptions)
    expect(usual.capabilities.limits).toStrictEqual(defaultLimits)
  },

  'a clock or a source of ids that gives nonsense is invalid, and nothing is written': async ({ fresh, clock }) => {
    // The types forbid it; the test is what happens when they are not heeded.
    let time: unknown = clock()
    let id: unknown = 'unused'
    const options = { clock: () => time, ids: () => id } as unknown as StoreOptions
    const scope = (await fresh(options)).scope('workspace')
    for (time of [Number.NaN, 1.5, -1, '5', undefined]) await refused('invalid', scope.sessions.create({ id: 'mine' }))
    time = clock()
    for (id of [5, '', undefined, 'x'.repeat(200)]) await refused('invalid', scope.sessions.create())
    expect(await scope.sessions.count({ archived: 'any' })).toBe(0)
  },

  'closing twice is no error': async ({ store }) => {
    await store.close()
    await store.close()
    await Promise.all([store.close(), store.close()])
    await refused('closed', store.admin.stats())
  },

  'after closing every call fails with closed': async ({ store, scope }) => {
    const world = await createWorld(scope, 'mine', 'mark')
    await store.close()
    for (const { name } of operations) {
      const error = await refused('closed', invoke(scope, name, sampleOf(name, world)))
      expect(error.retryable, name).toBe(false)
    }
    await refused(
      'closed',
      scope.batch(() => 1),
    )
    await refused('closed', store.scope('another').sessions.create())
    await refused('closed', store.admin.integrity())
    await refused('closed', store.admin.scopes.list())
  },

  'closing waits for what is under way': async ({ store, scope }) => {
    const { session } = await conversation(scope, 'one')
    const underWay = Array.from({ length: 10 }, (_, index) => scope.messages.append(session.id, says(`${index}`)))
    await store.close()
    const { succeeded, codes } = await outcomes(underWay)
    expect(codes).toEqual([])
    expect(succeeded).toHaveLength(10)
  },

  'a store closes itself at the end of its block': async ({ fresh }) => {
    const store = await fresh({})
    await store[Symbol.asyncDispose]()
    await refused('closed', store.scope('workspace').sessions.create())
  },

  'an aborted call is aborted and writes nothing, whichever it is': async ({ scope }) => {
    const world = await createWorld(scope, 'mine', 'mark')
    const before = await dump(scope)
    const signal = AbortSignal.abort()
    for (const { name, arguments: described } of operations) {
      const sample = sampleOf(name, world)
      const last = Object.keys(described(defaultLimits)).length - 1
      const given = Array.from({ length: last + 1 }, (_, index) => sample[index])
      given[last] = { ...(given[last] as object | undefined), signal }
      const error = await refused('aborted', invoke(scope, name, given))
      expect(error.message, name).not.toBe('')
    }
    await refused(
      'aborted',
      scope.batch((write) => write.sessions.create(), { signal }),
    )
    expect(await dump(scope)).toEqual(before)
  },

  'a signal that is not aborted changes nothing': async ({ scope }) => {
    const { signal } = new AbortController()
    const session = await scope.sessions.create({ title: 'kept' }, { signal })
    await scope.messages.append(session.id, says('one'), { signal })
    expect((await scope.messages.list(session.id, { signal })).items).toHaveLength(1)
  },

  'a scope may be named any number of times': async ({ store, scope }) => {
    await scope.sessions.create({ id: 's' })
    expect((await store.scope('workspace').sessions.get('s')).id).toBe('s')
    expect(store.scope('workspace').id).toBe('workspace')
  },
})
