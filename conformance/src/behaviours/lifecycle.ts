import { defaultLimits, operations } from '@holdfast/core'
import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { invoke } from '../construction/invoke.js'
import { sampleOf } from '../construction/samples.js'
import { createWorld } from '../construction/world.js'
import { conversation, says } from '../tools/content.js'
import { dump } from '../tools/dump.js'
import { outcomes, refused } from '../tools/refusals.js'

export const lifecycle = group('lifecycle', {
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
