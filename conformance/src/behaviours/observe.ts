import { type Observation, operations } from '@holdfast/core'
import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { invoke } from '../construction/invoke.js'
import { sampleOf } from '../construction/samples.js'
import { createWorld } from '../construction/world.js'
import { only, says } from '../tools/content.js'
import { refused } from '../tools/refusals.js'

export const observe = group('observe', {
  'every call is observed once, under its name': async ({ fresh }) => {
    const seen: Observation[] = []
    const store = await fresh({ observe: (observation) => seen.push(observation) })
    for (const { name } of operations) {
      const scope = store.scope(name)
      const world = await createWorld(scope, 'mine', 'mark')
      seen.length = 0
      await invoke(scope, name, sampleOf(name, world))
      expect(only(seen)).toMatchObject({ operation: name, code: null, retries: 0 })
      expect(only(seen).durationMs).toBeGreaterThanOrEqual(0)
    }
  },

  'a refused call is observed with the code of its error': async ({ fresh }) => {
    const seen: Observation[] = []
    const scope = (await fresh({ observe: (observation) => seen.push(observation) })).scope('workspace')
    await refused('not_found', scope.sessions.get('never'))
    await refused('invalid', scope.sessions.list({ limit: 0 }))
    expect(seen.map(({ operation, code }) => ({ operation, code }))).toEqual([
      { operation: 'sessions.get', code: 'not_found' },
      { operation: 'sessions.list', code: 'invalid' },
    ])
  },

  'a call that fails with what is no error of the library is observed as other, never as a success': async ({
    fresh,
  }) => {
    const seen: Observation[] = []
    const scope = (await fresh({ observe: (observation) => seen.push(observation) })).scope('workspace')
    const mine = new Error('changed my mind')
    const attempt = scope.batch(() => {
      throw mine
    })
    await expect(attempt).rejects.toBe(mine)
    expect(only(seen)).toMatchObject({ operation: 'batch', code: 'other', rows: 0 })
  },

  'an observation counts what was returned': async ({ fresh }) => {
    const seen: Observation[] = []
    const scope = (await fresh({ observe: (observation) => seen.push(observation) })).scope('workspace')
    const session = await scope.sessions.create()
    await scope.messages.appendAll(session.id, [says('one'), says('two'), says('three')])
    await scope.messages.list(session.id, { limit: 2 })
    await scope.batch((write) => write.sessions.touch(session.id))
    expect(seen.map(({ operation, rows }) => [operation, rows])).toMatchObject([
      ['sessions.create', 1],
      ['messages.appendAll', 3],
      ['messages.list', 2],
      ['batch', expect.any(Number)],
    ])
  },

  'an observation never holds content': async ({ fresh }) => {
    const seen: Observation[] = []
    const store = await fresh({ observe: (observation) => seen.push(observation) })
    const scope = store.scope('secret-scope')
    const session = await scope.sessions.create({ id: 'secret-id', title: 'secret title', metadata: { secret: 1 } })
    await scope.messages.append(session.id, says('secret words'))
    await refused('conflict', scope.sessions.create({ id: 'secret-id', title: 'other secret' }))
    await refused('invalid', scope.messages.append('secret-id', { role: '', parts: [{ type: 'secret' }] }))
    expect(seen.length).toBe(4)
    expect(JSON.stringify(seen)).not.toContain('secret')
    for (const observation of seen)
      expect(Object.keys(observation).sort()).toEqual(['code', 'durationMs', 'operation', 'retries', 'rows'])
  },

  'an observer that fails does not fail the call': async ({ fresh }) => {
    const failing = () => {
      throw new Error('broken observer')
    }
    const scope = (await fresh({ observe: failing })).scope('workspace')
    const session = await scope.sessions.create()
    expect((await scope.sessions.get(session.id)).id).toBe(session.id)
  },

  'no error says what was given or stored': async ({ scope }) => {
    await scope.sessions.create({ id: 's', title: 'secret title' })
    await scope.messages.append('s', says('secret words', { id: 'm' }))
    const errors = [
      await refused('conflict', scope.sessions.create({ id: 's', title: 'secret other' })),
      await refused('conflict', scope.messages.append('s', says('secret answer', { id: 'm' }))),
      await refused('invalid', scope.messages.append('s', { role: 'secret\u0000', parts: [] })),
      await refused('invalid', scope.messages.append('s', { role: 'user', parts: [{ type: 'text', secret: 'x' }] })),
      await refused('too_large', scope.sessions.create({ title: 'secret'.repeat(1000) })),
      await refused('not_found', scope.parts.settle('s', 'c', { state: 'output-available', output: 'secret' })),
    ]
    for (const error of errors) {
      expect(`${error.message} ${error.path} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain('secret')
      expect(error.retryable).toBe(false)
    }
  },
})
