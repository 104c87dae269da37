import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { callsIn } from '../calls.js'
import { nth, numbered, says } from '../tools/content.js'
import { resultsOf } from '../tools/outcomes.js'
import { refused } from '../tools/refusals.js'
import { expectSameJson } from '../tools/same-json.js'
import { scopesOf } from '../tools/stores.js'
import { withWorkers } from '../workers.js'

export const sessionPatches = group('session patches', {
  'undefined keeps a field': async ({ scope }) => {
    const session = await scope.sessions.create({ title: 'kept', agent: 'planner', summary: 'kept too' })
    const patched = await scope.sessions.update(session.id, { agent: 'writer', title: undefined })
    expect(patched).toMatchObject({ title: 'kept', agent: 'writer', summary: 'kept too' })
  },

  'null clears a field': async ({ scope }) => {
    const session = await scope.sessions.create({
      agent: 'planner',
      title: 'title',
      titledBy: 'agent',
      source: 'desktop',
      mode: 'plan',
      model: { provider: 'maker', id: 'large' },
      workingDirectory: '/home',
      root: '/',
      externalRef: 'ref',
      summary: 'summary',
      workingMemory: 'memory',
      transcript: { format: 'jsonl', uri: 'file:///t', messageCount: 1 },
      startedAt: 1,
      endedAt: 2,
    })
    const cleared = {
      agent: null,
      title: null,
      titledBy: null,
      source: null,
      mode: null,
      model: null,
      workingDirectory: null,
      root: null,
      externalRef: null,
      summary: null,
      workingMemory: null,
      transcript: null,
      startedAt: null,
      endedAt: null,
    }
    expect(await scope.sessions.update(session.id, cleared)).toMatchObject(cleared)
    expect(await scope.sessions.get(session.id)).toMatchObject(cleared)
  },

  'what update returns is what get reads': async ({ scope, clock }) => {
    const session = await scope.sessions.create({ title: 'before' })
    clock.advance(10)
    const patched = await scope.sessions.update(session.id, { title: 'after', kind: 'build', type: 'group' })
    expect(patched).toStrictEqual({
      ...session,
      title: 'after',
      kind: 'build',
      type: 'group',
      updatedAt: clock(),
      version: 2,
    })
    expect(await scope.sessions.get(session.id)).toStrictEqual(patched)
  },

  'a metadata patch merges at the top level': async ({ scope }) => {
    const session = await scope.sessions.create({ metadata: { kept: 1, deep: { a: 1, b: 2 } } })
    const patched = await scope.sessions.update(session.id, { metadata: { deep: { a: 3 }, added: [] } })
    expectSameJson(patched.metadata, { kept: 1, deep: { a: 3 }, added: [] })
    expectSameJson((await scope.sessions.get(session.id)).metadata, { kept: 1, deep: { a: 3 }, added: [] })
  },

  'a null in a metadata patch deletes the key, and only at the top level': async ({ scope }) => {
    const session = await scope.sessions.create({ metadata: { gone: 1, kept: 2 } })
    const patched = await scope.sessions.update(session.id, {
      metadata: { gone: null, never: null, deep: { a: null } },
    })
    expectSameJson(patched.metadata, { kept: 2, deep: { a: null } })
  },

  'an undefined key in a metadata patch keeps what is stored': async ({ scope }) => {
    const session = await scope.sessions.create({ metadata: { kept: 1 } })
    const patched = await scope.sessions.update(session.id, { metadata: { kept: undefined, added: 2 } })
    expectSameJson(patched.metadata, { kept: 1, added: 2 })
  },

  'a key named __proto__ is merged as plain data': async ({ scope }) => {
    const session = await scope.sessions.create({ metadata: JSON.parse('{"__proto__":{"a":1}}') })
    const patched = await scope.sessions.update(session.id, { metadata: JSON.parse('{"b":2,"constructor":3}') })
    expect(JSON.stringify(patched.metadata)).toBe('{"__proto__":{"a":1},"b":2,"constructor":3}')
    expect(Object.getPrototypeOf({})).toBe(Object.prototype)
    expect('a' in {}).toBe(false)
  },

  'provenance is patched field by field': async ({ scope }) => {
    const session = await scope.sessions.create({ provenance: { topic: 'norway', step: 'draft' } })
    const patched = await scope.sessions.update(session.id, { provenance: { step: null, playbook: 'travel' } })
    expect(patched.provenance).toStrictEqual({
      playbook: 'travel',
      invocationKind: null,
      topic: 'norway',
      step: null,
      artifactsPath: null,
    })
    expect(await scope.sessions.count({ provenance: { step: 'draft' } })).toBe(0)
    expect(await scope.sessions.count({ provenance: { playbook: 'travel' } })).toBe(1)
  },

  'participants are replaced as a whole, and sessions are found by the new ones': async ({ scope }) => {
    const session = await scope.sessions.create({ participants: [{ userId: 'a' }, { userId: 'b' }] })
    await scope.sessions.update(session.id, { participants: [{ userId: 'b' }, { userId: 'c', role: 'guest' }] })
    expect(await scope.sessions.count({ participant: 'a' })).toBe(0)
    expect(await scope.sessions.count({ participant: 'b' })).toBe(1)
    expect(await scope.sessions.count({ participant: 'c' })).toBe(1)
    expect((await scope.sessions.get(session.id)).participants).toStrictEqual([
      { userId: 'b' },
      { userId: 'c', role: 'guest' },
    ])
  },

  'a patch raises the version by one, and nothing else does': async ({ scope }) => {
    const session = await scope.sessions.create()
    const message = await scope.messages.append(session.id, says('hello'))
    await scope.sessions.touch(session.id)
    await scope.tags.add(session.id, ['a'])
    await scope.folders.add(session.id, ['f'])
    await scope.events.add(session.id, { type: 'signal' })
    await scope.sessions.addUsage(session.id, { input: 1 })
    await scope.sessions.setStatus(session.id, { from: 'idle', to: 'running' })
    await scope.branches.rewind(session.id, { at: message.id })
    expect((await scope.sessions.get(session.id)).version).toBe(1)
    expect((await scope.sessions.update(session.id, { title: 'a' })).version).toBe(2)
    expect((await scope.sessions.update(session.id, { title: 'b' })).version).toBe(3)
  },

  'a patch under the version it expects is written': async ({ scope }) => {
    const session = await scope.sessions.create()
    const patched = await scope.sessions.update(session.id, { title: 'new' }, { ifVersion: session.version })
    expect(patched).toMatchObject({ title: 'new', version: 2 })
  },

  'a patch under another version is conflict and writes nothing': async ({ scope }) => {
    const session = await scope.sessions.create({ title: 'first' })
    const second = await scope.sessions.update(session.id, { title: 'second' })
    await refused('conflict', scope.sessions.update(session.id, { title: 'third' }, { ifVersion: 1 }))
    await refused('conflict', scope.sessions.update(session.id, { metadata: { a: 1 } }, { ifVersion: 7 }))
    expect(await scope.sessions.get(session.id)).toStrictEqual(second)
  },

  'patches at the same time all count': async (context) => {
    const { scope } = context
    const session = await scope.sessions.create()
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const scopes = await scopesOf(context, keys.length)
    await Promise.all(
      keys.map((key, index) => nth(scopes, index).sessions.update(session.id, { metadata: { [key]: key } })),
    )
    const patched = await scope.sessions.get(session.id)
    expect(Object.keys(patched.metadata).sort()).toEqual(keys)
    expect(patched.version).toBe(1 + keys.length)
  },

  'however many patches are made at the same time, none of them is refused': async (context) => {
    const { scope } = context
    const session = await scope.sessions.create()
    const keys = numbered(300, 'key')
    const { update } = callsIn(scope.id).sessions
    const patches = keys.map((key) => update(session.id, { metadata: { [key]: 1 } }))
    const halves = [patches.slice(0, 150), patches.slice(150)]
    const outcomes = await withWorkers(context, 2, (workers) =>
      Promise.all(workers.map((worker, index) => worker.run(nth(halves, index), 150))),
    )
    resultsOf(outcomes.flat())
    const { metadata, version } = await scope.sessions.get(session.id)
    expect(Object.keys(metadata).toSorted()).toEqual(keys.toSorted())
    expect(version).toBe(301)
  },

  'a patch that waits for others can be cancelled, and the others are made': async ({ scope }) => {
    const session = await scope.sessions.create()
    const cancel = new AbortController()
    const first = scope.sessions.update(session.id, { metadata: { first: 1 } })
    const cancelled = scope.sessions.update(session.id, { metadata: { cancelled: 1 } }, { signal: cancel.signal })
    const last = scope.sessions.update(session.id, { metadata: { last: 1 } })
    cancel.abort()
    await refused('aborted', cancelled)
    await Promise.all([first, last])
    expect((await scope.sessions.get(session.id)).metadata).toEqual({ first: 1, last: 1 })
  },

  'a title by an agent never replaces a title by a user': async ({ scope }) => {
    const session = await scope.sessions.create({ title: 'draft', titledBy: 'agent' })
    await scope.sessions.update(session.id, { title: 'better draft', titledBy: 'agent' })
    await scope.sessions.update(session.id, { title: 'mine', titledBy: 'user' })
    await refused('conflict', scope.sessions.update(session.id, { title: 'no, mine', titledBy: 'agent' }))
    expect(await scope.sessions.get(session.id)).toMatchObject({ title: 'mine', titledBy: 'user', version: 3 })
    expect((await scope.sessions.update(session.id, { title: 'mine again', titledBy: 'user' })).title).toBe(
      'mine again',
    )
  },

  'an agent may patch other fields of a session that a user titled': async ({ scope }) => {
    const session = await scope.sessions.create({ title: 'mine', titledBy: 'user' })
    const patched = await scope.sessions.update(session.id, { summary: 'so far' })
    expect(patched).toMatchObject({ title: 'mine', titledBy: 'user', summary: 'so far' })
  },

  'a patch cannot take an external reference that another session has': async ({ scope }) => {
    await scope.sessions.create({ source: 'a', externalRef: 'x' })
    const session = await scope.sessions.create({ source: 'b', externalRef: 'x' })
    await refused('conflict', scope.sessions.update(session.id, { source: 'a' }))
    expect(await scope.sessions.get(session.id)).toStrictEqual(session)
  },

  'a patch does not move the last activity': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    clock.advance(1000)
    const patched = await scope.sessions.update(session.id, { title: 'later' })
    expect(patched.lastActivityAt).toBe(session.lastActivityAt)
    expect(patched.updatedAt).toBe(clock())
  },
})
