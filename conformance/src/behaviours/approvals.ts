import type { PartInput, PartSettlement, Scope } from '@holdfast/core'
import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { calls, partOf } from '../tools/content.js'
import { dump } from '../tools/dump.js'
import { refused } from '../tools/refusals.js'
import { expectSameJson } from '../tools/same-json.js'

const asked: PartInput = {
  type: 'tool-weather',
  toolCallId: 'c',
  state: 'approval-requested',
  input: { city: 'Oslo' },
  approval: { id: 'a', risk: { level: 2 } },
}
const output: PartSettlement = { state: 'output-available', output: { c: -3 } }

function answered(approved: boolean, more: Readonly<Record<string, string>> = {}): PartSettlement {
  return { state: 'approval-responded', approval: { id: 'a', approved, ...more } }
}

/** A session with one call that waits for an approval, and how it goes on. */
async function askedIn(scope: Scope) {
  const { id } = await scope.sessions.create()
  const message = await scope.messages.append(id, { role: 'assistant', parts: [asked] })
  return {
    settle: (settlement: PartSettlement) => scope.parts.settle(id, 'c', settlement),
    part: async () => partOf(await scope.messages.get(message.id)),
  }
}

export const approvals = group('approvals', {
  'an answer is laid over the approval that was asked for and keeps its other fields': async ({ scope }) => {
    const { settle, part } = await askedIn(scope)
    await settle(answered(true, { reason: 'fine' }))
    const approval = { id: 'a', risk: { level: 2 }, approved: true, reason: 'fine' }
    expectSameJson(await part(), { ...asked, state: 'approval-responded', approval })
    await settle(output)
    expectSameJson(await part(), { ...asked, state: 'output-available', approval, output: { c: -3 } })
  },

  'an answer to another approval is conflict and writes nothing': async ({ scope }) => {
    const { settle } = await askedIn(scope)
    const before = await dump(scope)
    await refused('conflict', settle({ state: 'approval-responded', approval: { id: 'other', approved: true } }))
    await refused('conflict', settle({ state: 'output-denied', approval: { id: 'other', approved: false } }))
    await refused('conflict', settle({ state: 'approval-requested', approval: { id: 'other' } }))
    expect(await dump(scope)).toEqual(before)
  },

  'an approval is answered once: the same answer again returns the part, another one is conflict': async ({
    scope,
  }) => {
    const { settle } = await askedIn(scope)
    const stored = await settle(answered(false, { reason: 'no' }))
    const before = await dump(scope)
    expect(await settle(answered(false, { reason: 'no' }))).toStrictEqual(stored)
    await refused('conflict', settle(answered(true)))
    await refused('conflict', settle(answered(false, { reason: 'other' })))
    await refused('conflict', settle({ state: 'output-denied', approval: { id: 'a', reason: 'other' } }))
    expect(await dump(scope)).toEqual(before)
  },

  'what was denied has no output': async ({ scope }) => {
    const { settle, part } = await askedIn(scope)
    await settle(answered(false))
    await refused('conflict', settle(output))
    await refused('conflict', settle({ ...output, preliminary: true }))
    await settle({ state: 'output-denied' })
    expect(await part()).toMatchObject({ state: 'output-denied', approval: { id: 'a', approved: false } })
    await refused('conflict', settle(output))
  },

  'what was approved is not denied': async ({ scope }) => {
    const { settle } = await askedIn(scope)
    await settle(answered(true))
    await refused('conflict', settle({ state: 'output-denied' }))
    await refused('conflict', settle({ state: 'output-denied', approval: { id: 'a', approved: false } }))
    expect((await settle(output)).state).toBe('output-available')
  },

  'an answer that arrives again after the call went on is a replay': async ({ scope }) => {
    const { settle } = await askedIn(scope)
    await settle(answered(true))
    const stored = await settle(output)
    const before = await dump(scope)
    expect(await settle(answered(true))).toStrictEqual(stored)
    expect(await settle({ state: 'approval-requested', approval: { id: 'a' } })).toStrictEqual(stored)
    expect(await settle({ state: 'input-available', input: { city: 'Oslo' } })).toStrictEqual(stored)
    await refused('conflict', settle(answered(false)))
    await refused('conflict', settle(answered(true, { reason: 'late' })))
    await refused('conflict', settle({ state: 'input-available', input: { city: 'Bergen' } }))
    expect(await dump(scope)).toEqual(before)
  },

  'a denial needs an approval, when it is settled as when it is appended': async ({ scope }) => {
    const { id } = await scope.sessions.create()
    await scope.messages.append(id, calls('c'))
    const before = await dump(scope)
    await refused('invalid', scope.parts.settle(id, 'c', { state: 'output-denied' }))
    const denied = { ...asked, state: 'output-denied', approval: undefined }
    await refused('invalid', scope.messages.append(id, { role: 'assistant', parts: [denied] }))
    expect(await dump(scope)).toEqual(before)
  },

  'an answer says yes or no, and a denial never yes': async ({ scope }) => {
    const { settle } = await askedIn(scope)
    const wrong = [
      { state: 'approval-responded', approval: { id: 'a' } },
      { state: 'approval-responded', approval: { id: 'a', approved: 'yes' } },
      { state: 'output-denied', approval: { id: 'a', approved: true } },
    ]
    const { id } = await scope.sessions.create()
    for (const settlement of wrong) {
      // The types forbid it; the test is what happens when they are not heeded.
      await refused('invalid', settle(settlement as unknown as PartSettlement))
      await refused('invalid', scope.messages.append(id, { role: 'assistant', parts: [{ ...asked, ...settlement }] }))
    }
  },

  'whatever a settlement makes of a call can be appended again': async ({ scope }) => {
    const { id: copies } = await scope.sessions.create()
    const ways: readonly (readonly PartSettlement[])[] = [
      [answered(true)],
      [answered(true), output],
      [answered(false), { state: 'output-denied' }],
      [{ state: 'output-denied' }],
      [{ state: 'output-error', errorText: 'no network' }],
    ]
    for (const way of ways) {
      const { settle, part } = await askedIn(scope)
      for (const settlement of way) await settle(settlement)
      const settled = await part()
      const copy = await scope.messages.append(copies, { role: 'assistant', parts: [settled] })
      expectSameJson(partOf(copy), settled)
    }
  },
})
