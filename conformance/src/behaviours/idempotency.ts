import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { answers, calls, conversation, nth, path, says } from '../tools/content.js'
import { dump } from '../tools/dump.js'
import { refused } from '../tools/refusals.js'

export const idempotency = group('idempotency', {
  'a replayed create returns the stored session and writes nothing': async ({ scope, clock }) => {
    const input = { id: 's', title: 'Trip', tags: ['a'], metadata: { a: 1, b: 2 } }
    await scope.sessions.create(input)
    const patched = await scope.sessions.update('s', { title: 'Changed since' })
    const before = await dump(scope)
    clock.advance(10)
    expect(await scope.sessions.create(input)).toStrictEqual(patched)
    expect(await dump(scope)).toEqual(before)
  },

  'a replay goes before what is unique: an external reference is still its own': async ({ scope }) => {
    const input = { id: 's', source: 'a', externalRef: 'x' }
    const stored = await scope.sessions.create(input)
    expect(await scope.sessions.create(input)).toStrictEqual(stored)
    await refused('conflict', scope.sessions.create({ ...input, id: 'other' }))
  },

  'a create under a stored id with another input is conflict': async ({ scope }) => {
    await scope.sessions.create({ id: 's', title: 'Trip' })
    const before = await dump(scope)
    await refused('conflict', scope.sessions.create({ id: 's', title: 'Other' }))
    await refused('conflict', scope.sessions.create({ id: 's' }))
    await refused('conflict', scope.sessions.create({ id: 's', title: 'Trip', tags: ['a'] }))
    expect(await dump(scope)).toEqual(before)
  },

  'a replayed append returns the stored message and writes nothing': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    const input = answers('one', { id: 'm', usage: { input: 5 }, metadata: { a: 1 } })
    await scope.messages.append(session.id, input)
    await scope.messages.append(session.id, says('two'))
    const settled = await scope.messages.settle('m', { metadata: { b: 2 } })
    const before = await dump(scope)
    clock.advance(10)
    expect(await scope.messages.append(session.id, input)).toStrictEqual(settled)
    expect(await dump(scope)).toEqual(before)
    expect((await scope.sessions.get(session.id)).usage.input).toBe(5)
  },

  'an append under a stored id with another input is conflict': async ({ scope }) => {
    const session = await scope.sessions.create()
    await scope.messages.append(session.id, says('one', { id: 'm' }))
    const before = await dump(scope)
    await refused('conflict', scope.messages.append(session.id, says('other', { id: 'm' })))
    await refused('conflict', scope.messages.append(session.id, answers('one', { id: 'm' })))
    await refused('conflict', scope.messages.append(session.id, says('one', { id: 'm', metadata: { a: 1 } })))
    expect(await dump(scope)).toEqual(before)
  },

  "an append never writes onto another session's message": async ({ scope }) => {
    const session = await scope.sessions.create()
    const other = await scope.sessions.create()
    await scope.messages.append(session.id, says('one', { id: 'm' }))
    await refused('conflict', scope.messages.append(other.id, says('one', { id: 'm' })))
    await refused('conflict', scope.messages.append(other.id, says('other', { id: 'm' })))
    expect(await path(scope, other)).toEqual([])
    expect((await scope.messages.get('m')).session).toBe(session.id)
  },

  'the order of keys and what is undefined make no other input': async ({ scope }) => {
    const session = await scope.sessions.create()
    const parts = [{ type: 'text', text: 'one', extra: { a: 1, b: [2] } }]
    const stored = await scope.messages.append(session.id, { id: 'm', role: 'user', parts, metadata: { x: 1, y: 2 } })
    const again = await scope.messages.append(session.id, {
      metadata: { y: 2, x: 1, z: undefined },
      parts: [{ extra: { b: [2], a: 1 }, text: 'one', type: 'text' }],
      role: 'user',
      id: 'm',
      kind: undefined,
    })
    expect(again).toStrictEqual(stored)
  },

  'a replay is recognised after the message has settled': async ({ scope }) => {
    const session = await scope.sessions.create()
    const input = { ...calls('c'), id: 'm', status: 'streaming' as const }
    await scope.messages.append(session.id, input)
    await scope.parts.settle(session.id, 'c', { state: 'output-available', output: 1 })
    const settled = await scope.messages.settle('m', { status: 'complete', usage: { input: 1 } })
    expect(await scope.messages.append(session.id, input)).toStrictEqual(settled)
    await refused('conflict', scope.messages.append(session.id, { ...input, status: 'complete' }))
  },

  'a replay goes before what an append expects of the head': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one')
    const after = nth(messages, 0).id
    const stored = await scope.messages.append(session.id, says('two', { id: 'm' }), { after })
    await scope.messages.append(session.id, says('three'))
    expect(await scope.messages.append(session.id, says('two', { id: 'm' }), { after })).toStrictEqual(stored)
    expect(await path(scope, session)).toEqual(['one', 'two', 'three'])
  },

  'a replayed appendAll returns the stored messages': async ({ scope }) => {
    const session = await scope.sessions.create()
    const input = [says('one', { id: 'm1' }), says('two', { id: 'm2' })]
    const stored = await scope.messages.appendAll(session.id, input)
    expect(await scope.messages.appendAll(session.id, input)).toStrictEqual(stored)
    expect(await path(scope, session)).toEqual(['one', 'two'])
  },

  'an appendAll of which some is stored already is conflict and writes nothing': async ({ scope }) => {
    const session = await scope.sessions.create()
    await scope.messages.append(session.id, says('one', { id: 'm1' }))
    const attempt = scope.messages.appendAll(session.id, [says('one', { id: 'm1' }), says('two', { id: 'm2' })])
    await refused('conflict', attempt)
    await refused('conflict', scope.messages.appendAll(session.id, [says('two'), says('one', { id: 'm1' })]))
    expect(await path(scope, session)).toEqual(['one'])
  },

  'the same append many times at once writes one message and all get it': async ({ scope }) => {
    const session = await scope.sessions.create()
    const attempts = Array.from({ length: 10 }, () => scope.messages.append(session.id, says('one', { id: 'm' })))
    const results = await Promise.all(attempts)
    for (const result of results) expect(result).toStrictEqual(nth(results, 0))
    expect(await path(scope, session)).toEqual(['one'])
  },

  'the same create many times at once writes one session and all get it': async ({ scope }) => {
    const attempts = Array.from({ length: 10 }, () => scope.sessions.create({ id: 's', title: 'Trip' }))
    const results = await Promise.all(attempts)
    for (const result of results) expect(result).toStrictEqual(nth(results, 0))
    expect(await scope.sessions.count()).toBe(1)
  },

  'a replayed event returns the stored one, and another input is conflict': async ({ scope }) => {
    const session = await scope.sessions.create()
    const other = await scope.sessions.create()
    const stored = await scope.events.add(session.id, { id: 'e', type: 'a', payload: { x: 1, y: 2 } })
    expect(await scope.events.add(session.id, { id: 'e', type: 'a', payload: { y: 2, x: 1 } })).toStrictEqual(stored)
    await refused('conflict', scope.events.add(session.id, { id: 'e', type: 'b', payload: { x: 1, y: 2 } }))
    await refused('conflict', scope.events.add(other.id, { id: 'e', type: 'a', payload: { x: 1, y: 2 } }))
    expect(await scope.events.list(session.id, { type: 'a' })).toHaveLength(1)
    expect(await scope.events.list(other.id, { type: 'a' })).toEqual([])
  },

  'a replayed fork returns the stored session, and another input is conflict': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    const input = { id: 'fork', at: nth(messages, 0).id, title: 'Again' }
    const fork = await scope.sessions.fork(session.id, input)
    await scope.messages.append(session.id, says('three'))
    const before = await dump(scope)
    expect(await scope.sessions.fork(session.id, input)).toStrictEqual(fork)
    await refused('conflict', scope.sessions.fork(session.id, { ...input, at: nth(messages, 1).id }))
    await refused('conflict', scope.sessions.create({ id: 'fork', title: 'Again' }))
    expect(await dump(scope)).toEqual(before)
  },

  'a replayed fork of all there was returns the stored session, whatever came since': async ({ scope }) => {
    const { session } = await conversation(scope, 'one')
    const fork = await scope.sessions.fork(session.id, { id: 'fork' })
    await scope.messages.append(session.id, says('two'))
    expect(await scope.sessions.fork(session.id, { id: 'fork' })).toStrictEqual(fork)
    expect(await path(scope, fork)).toEqual(['one'])
  },

  'a replayed branch, rewind or regeneration returns the stored branch': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    const at = nth(messages, 0).id
    const branch = await scope.branches.create(session.id, { id: 'b', at, name: 'attempt' })
    expect(await scope.branches.create(session.id, { id: 'b', at, name: 'attempt' })).toStrictEqual(branch)
    await refused('conflict', scope.branches.create(session.id, { id: 'b', at, name: 'other' }))
    const rewound = await scope.branches.rewind(session.id, { id: 'r', at })
    expect(await scope.branches.rewind(session.id, { id: 'r', at })).toStrictEqual(rewound)
    await scope.branches.undo(session.id)
    const regenerated = await scope.branches.regenerate(session.id, nth(messages, 1).id, { id: 'g' })
    expect(await scope.branches.regenerate(session.id, nth(messages, 1).id, { id: 'g' })).toStrictEqual(regenerated)
    expect(await scope.branches.list(session.id)).toHaveLength(4)
  },

  'a replayed branch of all there was returns the stored branch, whatever came since': async ({ scope }) => {
    const { session } = await conversation(scope, 'one')
    const branch = await scope.branches.create(session.id, { id: 'b' })
    await scope.messages.append(session.id, says('two'))
    expect(await scope.branches.create(session.id, { id: 'b' })).toStrictEqual(branch)
    expect(await path(scope, session, 'b')).toEqual(['one'])
  },

  'a replayed edit returns the stored message and makes no second branch': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    const target = nth(messages, 1).id
    const edited = await scope.branches.edit(session.id, target, says('better', { id: 'm' }))
    const before = await dump(scope)
    expect(await scope.branches.edit(session.id, target, says('better', { id: 'm' }))).toStrictEqual(edited)
    await refused('conflict', scope.branches.edit(session.id, target, says('other', { id: 'm' })))
    expect(await dump(scope)).toEqual(before)
  },

  'an edit of another message under the same id is conflict': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    await scope.branches.edit(session.id, nth(messages, 0).id, says('better', { id: 'm' }))
    const before = await dump(scope)
    await refused('conflict', scope.branches.edit(session.id, nth(messages, 1).id, says('better', { id: 'm' })))
    await refused('conflict', scope.messages.append(session.id, says('better', { id: 'm' })))
    expect(await dump(scope)).toEqual(before)
  },

  'an edit under the id of the message it replaces is conflict': async ({ scope }) => {
    const session = await scope.sessions.create()
    await scope.messages.append(session.id, says('one', { id: 'm' }))
    const before = await dump(scope)
    await refused('conflict', scope.branches.edit(session.id, 'm', says('one', { id: 'm' })))
    expect(await dump(scope)).toEqual(before)
  },

  'refusals come in their order: invalid, too large, not found, conflict': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one')
    const taken = nth(messages, 0).id
    await refused('invalid', scope.messages.append('never', { role: '', parts: [], id: taken }))
    await refused('too_large', scope.messages.append('never', says('x', { id: 'i'.repeat(129) })))
    await refused('not_found', scope.messages.append('never', says('one', { id: taken })))
    await refused('conflict', scope.messages.append(session.id, says('other', { id: taken }), { after: null }))
    await refused('invalid', scope.sessions.update('never', { metadata: Object(1n) }, { ifVersion: 9 }))
    await refused('not_found', scope.sessions.update('never', { title: 'x' }, { ifVersion: 9 }))
  },
})
