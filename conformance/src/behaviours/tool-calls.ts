import type { JsonObject, PartInput, PartSettlement } from '@holdfast/core'
import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { calls, conversation, nth, partOf, say, says } from '../tools/content.js'
import { outcomes, refused } from '../tools/refusals.js'
import { expectSameJson } from '../tools/same-json.js'
import { scopesOf } from '../tools/stores.js'

const cold: PartSettlement = { state: 'output-available', output: { c: -3 } }
const warm: PartSettlement = { state: 'output-available', output: { c: 20 } }

export const toolCalls = group('tool calls', {
  'a result never loses the input': async ({ scope }) => {
    const session = await scope.sessions.create()
    const given: PartInput = {
      type: 'tool-weather',
      extra: { z: 1, a: 2 },
      toolCallId: 'c',
      state: 'input-available',
      input: { city: 'Oslo', nested: [null] },
    }
    const { id } = await scope.messages.append(session.id, {
      role: 'assistant',
      parts: [{ type: 'step-start' }, given],
    })
    const settled = await scope.parts.settle(session.id, 'c', cold)
    const expected = { ...given, state: 'output-available', output: { c: -3 } }
    expectSameJson(settled.payload, expected)
    expectSameJson(partOf(await scope.messages.get(id), 1), expected)
    expectSameJson(partOf(await scope.messages.get(id), 0), { type: 'step-start' })
  },

  'a settled part is returned as it is stored': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    const { id, createdAt } = await scope.messages.append(session.id, calls('c'))
    clock.advance(10)
    const settled = await scope.parts.settle(session.id, 'c', cold)
    expect(settled).toMatchObject({
      index: 0,
      toolCallId: 'c',
      state: 'output-available',
      createdAt,
      updatedAt: clock(),
    })
    expect(await scope.messages.parts(id)).toStrictEqual([settled])
  },

  'a call goes from streaming through approval to its output': async ({ scope }) => {
    const session = await scope.sessions.create()
    const part: PartInput = { type: 'dynamic-tool', toolName: 'weather', toolCallId: 'c', state: 'input-streaming' }
    const { id } = await scope.messages.append(session.id, { role: 'assistant', parts: [part] })
    await scope.parts.settle(session.id, 'c', { state: 'input-available', input: { city: 'Oslo' } })
    await scope.parts.settle(session.id, 'c', { state: 'approval-requested', approval: { id: 'a' } })
    await scope.parts.settle(session.id, 'c', { state: 'approval-responded', approval: { id: 'a', approved: true } })
    await scope.parts.settle(session.id, 'c', cold)
    expectSameJson(partOf(await scope.messages.get(id)), {
      ...part,
      state: 'output-available',
      input: { city: 'Oslo' },
      approval: { id: 'a', approved: true },
      output: { c: -3 },
    })
  },

  'a call ends in an output, an error or a denial': async ({ scope }) => {
    const session = await scope.sessions.create()
    const endings: PartSettlement[] = [
      cold,
      { state: 'output-error', errorText: 'no network' },
      { state: 'output-denied', approval: { id: 'a', approved: false, reason: 'no' } },
    ]
    for (const [index, ending] of endings.entries()) {
      const { id } = await scope.messages.append(session.id, calls(`c${index}`))
      await scope.parts.settle(session.id, `c${index}`, ending)
      expect(partOf(await scope.messages.get(id))).toMatchObject({ ...ending, input: { city: 'Oslo' } })
    }
  },

  'the same settlement again returns the part and writes nothing': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    const { id } = await scope.messages.append(session.id, calls('c'))
    const first = await scope.parts.settle(session.id, 'c', cold)
    const message = await scope.messages.get(id)
    const journal = await scope.events.list(session.id)
    clock.advance(10)
    expect(await scope.parts.settle(session.id, 'c', cold)).toStrictEqual(first)
    expect(await scope.messages.get(id)).toStrictEqual(message)
    expect(await scope.events.list(session.id)).toStrictEqual(journal)
  },

  'the order of keys makes no other settlement': async ({ scope }) => {
    const session = await scope.sessions.create()
    await scope.messages.append(session.id, calls('c'))
    const given = (output: JsonObject): PartSettlement => ({ state: 'output-available', output })
    const first = await scope.parts.settle(session.id, 'c', given({ a: 1, b: [{ c: 2, d: 3 }] }))
    const again = await scope.parts.settle(session.id, 'c', given({ b: [{ d: 3, c: 2 }], a: 1 }))
    expectSameJson(again, first)
    await refused('conflict', scope.parts.settle(session.id, 'c', given({ a: 1, b: [{ c: 2 }] })))
    await refused('conflict', scope.parts.settle(session.id, 'c', given({ a: 1, b: { 0: { c: 2, d: 3 } } })))
  },

  'a second, different settlement is conflict and writes nothing': async ({ scope }) => {
    const session = await scope.sessions.create()
    const { id } = await scope.messages.append(session.id, calls('c'))
    await scope.parts.settle(session.id, 'c', cold)
    const message = await scope.messages.get(id)
    await refused('conflict', scope.parts.settle(session.id, 'c', warm))
    await refused('conflict', scope.parts.settle(session.id, 'c', { state: 'output-error', errorText: 'late' }))
    await refused('conflict', scope.parts.settle(session.id, 'c', { state: 'input-available', input: {} }))
    await refused(
      'conflict',
      scope.parts.settle(session.id, 'c', { state: 'approval-requested', approval: { id: 'a' } }),
    )
    expect(await scope.messages.get(id)).toStrictEqual(message)
  },

  'a preliminary output is replaced until the final one stands': async ({ scope }) => {
    const session = await scope.sessions.create()
    const { id } = await scope.messages.append(session.id, calls('c'))
    await scope.parts.settle(session.id, 'c', { ...warm, preliminary: true })
    await scope.parts.settle(session.id, 'c', { state: 'output-available', output: 'nearly', preliminary: true })
    await scope.parts.settle(session.id, 'c', cold)
    expect(partOf(await scope.messages.get(id))).toMatchObject({ output: { c: -3 }, input: { city: 'Oslo' } })
    await refused('conflict', scope.parts.settle(session.id, 'c', warm))
    expect(partOf(await scope.messages.get(id)).output).toEqual({ c: -3 })
  },

  'of settlements at the same time one succeeds': async (context) => {
    const { scope } = context
    const session = await scope.sessions.create()
    const { id } = await scope.messages.append(session.id, calls('c'))
    const scopes = await scopesOf(context, 4)
    const attempts = scopes.map((one, c) =>
      one.parts.settle(session.id, 'c', { state: 'output-available', output: { c } }),
    )
    const { succeeded, codes } = await outcomes(attempts)
    expect(codes).toEqual(['conflict', 'conflict', 'conflict'])
    expectSameJson(partOf(await scope.messages.get(id)), nth(succeeded, 0).payload)
  },

  'settlements of two calls of one message at the same time both stand': async (context) => {
    const { scope } = context
    const session = await scope.sessions.create()
    const parts = ['c1', 'c2', 'c3'].map((toolCallId) => nth(calls(toolCallId).parts, 0))
    const { id } = await scope.messages.append(session.id, { role: 'assistant', parts })
    const scopes = await scopesOf(context, 3)
    await Promise.all(['c1', 'c2', 'c3'].map((call, index) => nth(scopes, index).parts.settle(session.id, call, cold)))
    const states = (await scope.messages.get(id)).parts.map((part) => part.state)
    expect(states).toEqual(['output-available', 'output-available', 'output-available'])
  },

  'settling finds the nearest call with that id on the path': async ({ scope }) => {
    const session = await scope.sessions.create()
    const earlier = await scope.messages.append(session.id, calls('c'))
    const nearest = await scope.messages.append(session.id, calls('c'))
    await say(scope, session, 'a later turn')
    await scope.parts.settle(session.id, 'c', cold)
    expect(partOf(await scope.messages.get(nearest.id)).state).toBe('output-available')
    expect(await scope.messages.get(earlier.id)).toStrictEqual(earlier)
  },

  'a result may come in a later turn': async ({ scope }) => {
    const session = await scope.sessions.create()
    const { id } = await scope.messages.append(session.id, calls('c'))
    await say(scope, session, 'meanwhile', 'and more')
    await scope.branches.create(session.id, { activate: true })
    await scope.messages.append(session.id, says('on another branch'))
    await scope.parts.settle(session.id, 'c', cold)
    expect(partOf(await scope.messages.get(id)).output).toEqual({ c: -3 })
  },

  'a call that only another branch shows is not found': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one')
    const { id } = await scope.messages.append(session.id, calls('c'))
    await scope.branches.rewind(session.id, { at: nth(messages, 0).id })
    await refused('not_found', scope.parts.settle(session.id, 'c', cold))
    await refused('not_found', scope.parts.settle(session.id, 'never', cold))
    expect(partOf(await scope.messages.get(id)).state).toBe('input-available')
  },

  "a call of another session's message is not found": async ({ scope }) => {
    const session = await scope.sessions.create()
    const other = await scope.sessions.create()
    const { id } = await scope.messages.append(session.id, calls('c'))
    await refused('not_found', scope.parts.settle(other.id, 'c', cold))
    expect(partOf(await scope.messages.get(id)).state).toBe('input-available')
  },

  'a part settled through a fork is settled for every branch that shows it': async ({ scope }) => {
    const session = await scope.sessions.create()
    const { id } = await scope.messages.append(session.id, calls('c'))
    const fork = await scope.sessions.fork(session.id)
    const second = await scope.sessions.fork(fork.id)
    await say(scope, second, 'later')
    await scope.parts.settle(second.id, 'c', cold)
    for (const shown of [session, fork, second]) {
      const [first] = (await scope.messages.list(shown.id)).items
      expect(first?.id).toBe(id)
      expect(first?.parts[0]?.output).toEqual({ c: -3 })
    }
    await refused('conflict', scope.parts.settle(session.id, 'c', warm))
  },

  'a settlement is journalled in the owner and in the session called through': async ({ scope }) => {
    const session = await scope.sessions.create()
    const { id } = await scope.messages.append(session.id, calls('c'))
    const fork = await scope.sessions.fork(session.id)
    const bystander = await scope.sessions.fork(session.id)
    await scope.parts.settle(fork.id, 'c', cold)
    for (const { id: shown } of [session, fork])
      expect(await scope.events.latest(shown, 'settlement')).toMatchObject({ message: id, payload: null })
    expect(await scope.events.latest(bystander.id, 'settlement')).toBeNull()
  },

  'settling a part touches neither the version nor the place of anything': async ({ scope }) => {
    const session = await scope.sessions.create()
    const message = await scope.messages.append(session.id, calls('c'))
    const before = await scope.sessions.get(session.id)
    await scope.parts.settle(session.id, 'c', cold)
    expect((await scope.sessions.get(session.id)).version).toBe(before.version)
    const { parts: _, updatedAt: __, ...rest } = message
    expect(await scope.messages.get(message.id)).toMatchObject(rest)
  },
})
