import type { PartInput } from '@holdfast/core'
import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { nth, partOf } from '../tools/content.js'
import { refused } from '../tools/refusals.js'
import { expectSameJson } from '../tools/same-json.js'

const known: PartInput[] = [
  { type: 'text', text: 'words', state: 'done', providerMetadata: { maker: { a: 1 } } },
  { type: 'reasoning', text: 'thoughts', state: 'streaming' },
  { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==', filename: 'a.png' },
  { type: 'reasoning-file', mediaType: 'text/plain', url: 'https://example.org/a' },
  { type: 'source-url', sourceId: 's', url: 'https://example.org', title: 'Example' },
  { type: 'source-document', sourceId: 's', mediaType: 'application/pdf', title: 'Paper', filename: 'p.pdf' },
  { type: 'step-start' },
  { type: 'data-weather', id: 'w', data: { c: -3 } },
  { type: 'custom', anything: [1, null] },
  { type: 'tool-weather', toolCallId: 'c1', state: 'input-streaming', input: undefined },
  { type: 'tool-weather', toolCallId: 'c2', state: 'output-available', input: { city: 'Oslo' }, output: { c: -3 } },
  { type: 'tool-weather', toolCallId: 'c3', state: 'output-error', input: {}, errorText: 'no network' },
  { type: 'tool-weather', toolCallId: 'c4', state: 'output-denied', input: {}, approval: { id: 'a', approved: false } },
  { type: 'tool-weather', toolCallId: 'c5', state: 'approval-requested', input: {}, approval: { id: 'a' } },
  { type: 'dynamic-tool', toolName: 'gone', toolCallId: 'c6', state: 'input-available', input: [1] },
]

const unknown: PartInput[] = [
  { type: 'hologram', z: 1, a: { type: 'text' }, state: 7, toolCallId: null },
  { type: 'Text', text: 5 },
  { type: 'tool', toolCallId: 1 },
  { type: '\u{1f600} neu', '': '', text: null },
]

export const parts = group('parts', {
  'parts of every known type are read back exactly as they were given': async ({ scope }) => {
    const session = await scope.sessions.create()
    const { id } = await scope.messages.append(session.id, { role: 'assistant', parts: known })
    expectSameJson((await scope.messages.get(id)).parts, known)
  },

  'parts of unknown types are read back untouched': async ({ scope }) => {
    const session = await scope.sessions.create()
    const appended = await scope.messages.append(session.id, { role: 'assistant', parts: unknown })
    expectSameJson(appended.parts, unknown)
    expectSameJson((await scope.messages.get(appended.id)).parts, unknown)
    expectSameJson((await scope.messages.list(session.id)).items[0]?.parts, unknown)
    const rows = await scope.messages.parts(appended.id)
    expect(rows.map(({ type, toolCallId, state }) => ({ type, toolCallId, state }))).toEqual(
      unknown.map(({ type }) => ({ type, toolCallId: null, state: null })),
    )
  },

  'what was read can be written again as it is': async ({ scope }) => {
    const source = await scope.sessions.create({ participants: [{ userId: 'ada' }], permissions: [] })
    const first = await scope.messages.append(source.id, { role: 'assistant', parts: [...known, ...unknown] })
    const { participants, permissions } = await scope.sessions.get(source.id)
    const target = await scope.sessions.create({ participants, permissions })
    const { role, parts } = await scope.messages.get(first.id)
    const { id } = await scope.messages.append(target.id, { role, parts })
    expectSameJson((await scope.messages.get(id)).parts, [...known, ...unknown])
  },

  'unknown fields of known parts are kept, in their order': async ({ scope }) => {
    const session = await scope.sessions.create()
    const given: PartInput = { zebra: 1, type: 'text', apple: { b: 1, a: 2 }, text: 'hello', 10: 'ten', 9: 'nine' }
    const { id } = await scope.messages.append(session.id, { role: 'user', parts: [given] })
    expectSameJson(partOf(await scope.messages.get(id)), given)
  },

  'the rows of parts say what the store knows about each': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    const { id } = await scope.messages.append(session.id, { role: 'assistant', parts: known })
    const rows = await scope.messages.parts(id)
    expect(rows.map(({ index }) => index)).toEqual(known.map((_, index) => index))
    expect(rows.map(({ type }) => type)).toEqual(known.map(({ type }) => type))
    expectSameJson(
      rows.map(({ payload }) => payload),
      known,
    )
    expect(new Set(rows.map((row) => row.id)).size).toBe(known.length)
    expect(nth(rows, 10)).toMatchObject({
      toolCallId: 'c2',
      state: 'output-available',
      createdAt: clock(),
      updatedAt: clock(),
    })
    expect(nth(rows, 6)).toMatchObject({ toolCallId: null, state: null })
  },

  'a message with a thousand parts keeps them in order': async ({ scope }) => {
    const session = await scope.sessions.create()
    const many = Array.from({ length: 1000 }, (_, index): PartInput => ({ type: 'text', text: `part ${index}` }))
    const { id } = await scope.messages.append(session.id, { role: 'assistant', parts: many })
    expectSameJson((await scope.messages.get(id)).parts, many)
  },

  'a known part of the wrong shape is invalid': async ({ scope }) => {
    const session = await scope.sessions.create()
    const wrong: PartInput[] = [
      { type: 'text' },
      { type: 'text', text: 5 },
      { type: 'reasoning', text: null },
      { type: 'file', url: 'x' },
      { type: 'source-url', url: 'x' },
      { type: 'source-document', sourceId: 's' },
      { type: 'data-x' },
      { type: 'tool-x', state: 'input-available' },
      { type: 'tool-x', toolCallId: 'c' },
      { type: 'tool-x', toolCallId: 'c', state: 'finished' },
      { type: 'tool-x', toolCallId: 'c', state: 'output-error' },
      { type: 'dynamic-tool', toolCallId: 'c', state: 'input-available' },
      { type: '' },
    ]
    for (const part of wrong)
      await refused('invalid', scope.messages.append(session.id, { role: 'assistant', parts: [part] }))
    expect((await scope.sessions.get(session.id)).messageCount).toBe(0)
  },

  'a call id is unique within a message': async ({ scope }) => {
    const session = await scope.sessions.create()
    const call: PartInput = { type: 'tool-a', toolCallId: 'c', state: 'input-available', input: 1 }
    await refused(
      'invalid',
      scope.messages.append(session.id, { role: 'assistant', parts: [call, { ...call, input: 2 }] }),
    )
    await scope.messages.append(session.id, { role: 'assistant', parts: [call] })
    await scope.messages.append(session.id, { role: 'assistant', parts: [call] })
    expect((await scope.sessions.get(session.id)).messageCount).toBe(2)
  },
})
