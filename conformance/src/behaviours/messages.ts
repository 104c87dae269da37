import type { MessageInput } from '@holdfast/core'
import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { answers, collect, conversation, nth, only, path, say, says, textOf } from '../tools/content.js'
import { outcomes, refused } from '../tools/refusals.js'

const everything = {
  id: 'mine',
  role: 'narrator',
  kind: 'aside',
  sender: 'device:phone',
  recipient: 'agent:writer',
  channel: 'channel:mail',
  status: 'streaming',
  model: { provider: 'maker', id: 'large', variant: 'fast' },
  agent: 'planner',
  usage: { input: 1, output: 2, reasoning: 3, cacheRead: 4, cacheWrite: 5, total: 6, cost: 7 },
  finishReason: 'stop',
  error: { code: 1, nested: [null] },
  trigger: { schedule: 'daily', n: 1 },
  metadata: { z: 1, a: null },
  createdBy: 'user-1',
  createdAt: 42,
  parts: [{ type: 'step-start' }, { type: 'text', text: 'hello', state: 'done' }],
} satisfies MessageInput

export const messages = group('messages', {
  'a message keeps every field it was given': async ({ scope }) => {
    const session = await scope.sessions.create()
    const message = await scope.messages.append(session.id, everything)
    expect(message).toStrictEqual({
      ...everything,
      session: session.id,
      branch: session.activeBranch,
      position: 1,
      updatedAt: message.updatedAt,
    })
  },

  'a message without more than role and parts has every other field at its default': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    const message = await scope.messages.append(session.id, { role: 'user', parts: [] })
    expect(message).toStrictEqual({
      id: message.id,
      session: session.id,
      branch: session.activeBranch,
      position: 1,
      role: 'user',
      kind: null,
      sender: null,
      recipient: null,
      channel: null,
      status: 'complete',
      model: null,
      agent: null,
      usage: null,
      finishReason: null,
      error: null,
      trigger: null,
      metadata: {},
      createdBy: null,
      createdAt: clock(),
      updatedAt: clock(),
      parts: [],
    })
  },

  'what append returns is what every read returns': async ({ scope }) => {
    const session = await scope.sessions.create()
    const message = await scope.messages.append(session.id, everything)
    expect(await scope.messages.get(message.id)).toStrictEqual(message)
    expect(only((await scope.messages.list(session.id)).items)).toStrictEqual(message)
    expect(only(await collect(scope.messages.iterate(session.id)))).toStrictEqual(message)
    expect(only((await scope.sessions.load(session.id)).messages.items)).toStrictEqual(message)
  },

  'what appendAll returns is what every read returns': async ({ scope }) => {
    const { session } = await conversation(scope, 'one')
    const appended = await scope.messages.appendAll(session.id, [
      says('two'),
      answers('three', { usage: { input: 3 } }),
    ])
    expect(appended.map(({ position }) => position)).toEqual([2, 3])
    expect((await scope.messages.list(session.id)).items.slice(1)).toStrictEqual(appended)
  },

  'positions along a path are 1 to its length, without a gap': async ({ scope }) => {
    const { session } = await conversation(scope, 'one', 'two')
    await scope.messages.appendAll(session.id, [says('three'), says('four')])
    await say(scope, session, 'five')
    const { items } = await scope.messages.list(session.id)
    expect(items.map(textOf)).toEqual(['one', 'two', 'three', 'four', 'five'])
    expect(items.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5])
    expect((await scope.sessions.get(session.id)).messageCount).toBe(5)
  },

  'appends at the same time get positions of their own, without a gap': async ({ scope }) => {
    const session = await scope.sessions.create()
    const appended = await Promise.all(
      Array.from({ length: 20 }, (_, index) => scope.messages.append(session.id, says(`${index}`))),
    )
    const positions = appended.map(({ position }) => position).sort((a, b) => a - b)
    expect(positions).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    const read = (await scope.messages.list(session.id)).items
    expect(read).toStrictEqual(appended.toSorted((a, b) => a.position - b.position))
  },

  'an append moves the last activity and the number of messages': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    clock.advance(10)
    await say(scope, session, 'one')
    expect(await scope.sessions.get(session.id)).toStrictEqual({
      ...session,
      messageCount: 1,
      lastActivityAt: clock(),
    })
  },

  'appendAll is all or nothing': async ({ scope }) => {
    const { session } = await conversation(scope, 'one')
    const other = await conversation(scope, 'elsewhere')
    const taken = nth(other.messages, 0).id
    await refused('conflict', scope.messages.appendAll(session.id, [says('two'), says('three', { id: taken })]))
    await refused(
      'conflict',
      scope.messages.appendAll(session.id, [says('a', { id: 'twice' }), says('b', { id: 'twice' })]),
    )
    expect(await path(scope, session)).toEqual(['one'])
    await refused('not_found', scope.messages.get('twice'))
  },

  'an append after the last message is written': async ({ scope }) => {
    const session = await scope.sessions.create()
    const first = await scope.messages.append(session.id, says('one'), { after: null })
    const second = await scope.messages.append(session.id, says('two'), { after: first.id })
    await scope.messages.appendAll(session.id, [says('three')], { after: second.id })
    expect(await path(scope, session)).toEqual(['one', 'two', 'three'])
  },

  'an append after a message that is no longer the last is conflict and writes nothing': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    await refused('conflict', scope.messages.append(session.id, says('late'), { after: nth(messages, 0).id }))
    await refused('conflict', scope.messages.append(session.id, says('late'), { after: null }))
    await refused('conflict', scope.messages.appendAll(session.id, [says('late')], { after: nth(messages, 0).id }))
    expect(await path(scope, session)).toEqual(['one', 'two'])
  },

  'the last message of a branch or fork without own messages is the one it was made at': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    const fork = await scope.sessions.fork(session.id, { at: nth(messages, 0).id })
    await refused('conflict', scope.messages.append(fork.id, says('late'), { after: nth(messages, 1).id }))
    await scope.messages.append(fork.id, says('other two'), { after: nth(messages, 0).id })
    expect(await path(scope, fork)).toEqual(['one', 'other two'])
  },

  'of appends at the same time after the same message one succeeds': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one')
    const after = nth(messages, 0).id
    const { succeeded, codes } = await outcomes(
      Array.from({ length: 5 }, (_, index) => scope.messages.append(session.id, says(`${index}`), { after })),
    )
    expect(succeeded).toHaveLength(1)
    expect(codes).toEqual(['conflict', 'conflict', 'conflict', 'conflict'])
    expect((await scope.sessions.get(session.id)).messageCount).toBe(2)
  },

  "an append names a branch of its own session, not another's": async ({ scope }) => {
    const { session } = await conversation(scope, 'one')
    const other = await scope.sessions.create()
    await refused('not_found', scope.messages.append(session.id, says('two'), { branch: other.activeBranch }))
    expect(await path(scope, session)).toEqual(['one'])
    expect(await path(scope, other)).toEqual([])
  },

  'a message is read by its id as long as some session shows it': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    await scope.branches.rewind(session.id, { at: null })
    expect(await scope.messages.get(nth(messages, 1).id)).toStrictEqual(nth(messages, 1))
    await refused('not_found', scope.messages.get('never'))
    await refused('not_found', scope.messages.parts('never'))
  },

  'a role, a kind and a sender that nobody knows are kept': async ({ scope }) => {
    const session = await scope.sessions.create()
    const given = { role: 'Rolle\u{1f600}', kind: 'neu', sender: 'unknown scheme', parts: [] }
    const message = await scope.messages.append(session.id, given)
    expect(await scope.messages.get(message.id)).toMatchObject(given)
  },
})
