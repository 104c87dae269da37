import { defaultLimits, type JsonValue, type PartInput } from '@holdfast/core'
import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { collect, nth, numbered, says, textOf } from '../tools/content.js'
import { refused } from '../tools/refusals.js'

/** A text of exactly so many bytes, with characters of one to four bytes. */
function bytes(count: number): string {
  const wide = 'ä€\u{1f600}'
  return wide.repeat(Math.floor(count / 9)) + 'x'.repeat(count % 9)
}

function nested(levels: number): JsonValue {
  let value: JsonValue = 1
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { in: value }
  return value
}

const small = {
  metadataBytes: 64,
  partBytes: 64,
  partsPerMessage: 3,
  writesPerBatch: 4,
  pageRows: 5,
  jsonDepth: 4,
}

export const limits = group('limits', {
  'the limits of a store are in its capabilities': async ({ store, fresh }) => {
    expect(store.capabilities.limits).toStrictEqual(defaultLimits)
    const other = await fresh({ limits: { tagBytes: 7 } })
    expect(other.capabilities.limits).toStrictEqual({ ...defaultLimits, tagBytes: 7 })
  },

  'an id of 128 bytes is accepted, and one byte more is too large': async ({ store, scope }) => {
    const id = bytes(128)
    expect((await scope.sessions.create({ id })).id).toBe(id)
    expect((await scope.sessions.get(id)).id).toBe(id)
    expect((await scope.messages.append(id, says('one', { id }))).id).toBe(id)
    const long = bytes(129)
    await refused('too_large', scope.sessions.create({ id: long }))
    await refused('too_large', scope.sessions.get(long))
    await refused('too_large', scope.messages.append(id, says('two', { id: long })))
    expect(() => store.scope(long)).toThrow(expect.objectContaining({ code: 'too_large' }))
    expect((await store.scope(bytes(128)).sessions.create()).messageCount).toBe(0)
  },

  'a tag of 256 bytes is accepted, and one byte more is too large': async ({ scope }) => {
    const tag = bytes(256)
    const session = await scope.sessions.create({ tags: [tag] })
    expect(await scope.tags.of(session.id)).toEqual([tag])
    await refused('too_large', scope.tags.add(session.id, [bytes(257)]))
    expect(await scope.tags.of(session.id)).toEqual([tag])
  },

  'a title of 1 KiB is accepted, and one byte more is too large': async ({ scope }) => {
    const title = bytes(1024)
    const session = await scope.sessions.create({ title })
    expect((await scope.sessions.get(session.id)).title).toBe(title)
    await refused('too_large', scope.sessions.update(session.id, { title: bytes(1025) }))
    await refused('too_large', scope.sessions.create({ agent: bytes(1025) }))
    expect(await scope.sessions.count()).toBe(1)
  },

  'a path of 4 KiB is accepted, and one byte more is too large': async ({ scope }) => {
    const folder = bytes(4096)
    const session = await scope.sessions.create({ folders: [folder], workingDirectory: folder })
    expect(await scope.folders.of(session.id)).toEqual([folder])
    expect((await scope.folders.find(folder)).items).toHaveLength(1)
    await refused('too_large', scope.folders.add(session.id, [bytes(4097)]))
    await refused('too_large', scope.sessions.create({ root: bytes(4097) }))
  },

  'metadata above its limit is too large, whichever patch makes it so': async ({ fresh }) => {
    const scope = (await fresh({ limits: small })).scope('workspace')
    const session = await scope.sessions.create({ metadata: { a: 'x'.repeat(56) } })
    await refused('too_large', scope.sessions.create({ metadata: { a: 'x'.repeat(57) } }))
    await refused('too_large', scope.sessions.create({ metadata: { a: 'ä'.repeat(29) } }))
    await refused('too_large', scope.sessions.update(session.id, { metadata: { b: 1 } }))
    await refused('too_large', scope.messages.append(session.id, says('x', { metadata: { a: 'x'.repeat(57) } })))
    expect(await scope.sessions.get(session.id)).toStrictEqual(session)
  },

  'a free text above the limit of metadata is too large': async ({ fresh }) => {
    const scope = (await fresh({ limits: small })).scope('workspace')
    const session = await scope.sessions.create({ summary: 'x'.repeat(62) })
    await refused('too_large', scope.sessions.update(session.id, { summary: 'x'.repeat(63) }))
    await refused('too_large', scope.sessions.update(session.id, { workingMemory: 'x'.repeat(63) }))
    const reason = 'x'.repeat(63)
    await refused('too_large', scope.sessions.setStatus(session.id, { from: 'idle', to: 'failed', reason }))
    expect(await scope.sessions.get(session.id)).toStrictEqual(session)
  },

  'a part above its limit is too large, also when a settlement makes it so': async ({ fresh }) => {
    const scope = (await fresh({ limits: { partBytes: 100 } })).scope('workspace')
    const session = await scope.sessions.create()
    const call: PartInput = { type: 'tool-a', toolCallId: 'c', state: 'input-available', input: 'x'.repeat(20) }
    await scope.messages.append(session.id, { role: 'assistant', parts: [call] })
    await refused('too_large', scope.messages.append(session.id, says('x'.repeat(100))))
    const output = 'x'.repeat(40)
    await refused('too_large', scope.parts.settle(session.id, 'c', { state: 'output-available', output }))
    await refused('too_large', scope.events.add(session.id, { type: 'any', payload: 'x'.repeat(99) }))
    expect((await scope.sessions.get(session.id)).messageCount).toBe(1)
  },

  'more parts than a message may have are too large': async ({ fresh }) => {
    const scope = (await fresh({ limits: small })).scope('workspace')
    const session = await scope.sessions.create()
    const step: PartInput = { type: 'step-start' }
    await scope.messages.append(session.id, { role: 'user', parts: [step, step, step] })
    await refused('too_large', scope.messages.append(session.id, { role: 'user', parts: [step, step, step, step] }))
    expect((await scope.sessions.get(session.id)).messageCount).toBe(1)
  },

  'more writes than a batch may hold are too large': async ({ fresh }) => {
    const scope = (await fresh({ limits: small })).scope('workspace')
    const session = await scope.sessions.create()
    await scope.messages.appendAll(
      session.id,
      numbered(4).map((text) => says(text)),
    )
    await refused(
      'too_large',
      scope.messages.appendAll(
        session.id,
        numbered(5).map((text) => says(text)),
      ),
    )
    const events = scope.batch((write) => {
      for (const type of numbered(5, 'event')) write.events.add(session.id, { type })
    })
    await refused('too_large', events)
    const touches = scope.batch((write) => {
      for (let touch = 0; touch < 5; touch++) write.sessions.touch(session.id)
    })
    await refused('too_large', touches)
    expect((await scope.sessions.get(session.id)).messageCount).toBe(4)
  },

  'as many messages as a call may hold are appended at once': async ({ store, scope }) => {
    const session = await scope.sessions.create()
    const { writesPerBatch } = store.capabilities.limits
    const appended = await scope.messages.appendAll(
      session.id,
      numbered(writesPerBatch).map((text) => says(text)),
    )
    expect(nth(appended, -1).position).toBe(writesPerBatch)
    expect((await scope.sessions.get(session.id)).messageCount).toBe(writesPerBatch)
    expect((await scope.messages.list(session.id, { limit: 1 })).items.map(textOf)).toEqual([
      `message ${writesPerBatch}`,
    ])
  },

  'as many parts as a message may have are kept in order': async ({ store, scope }) => {
    const session = await scope.sessions.create()
    const { partsPerMessage } = store.capabilities.limits
    const parts = numbered(partsPerMessage, 'part').map((text): PartInput => ({ type: 'text', text }))
    const { id } = await scope.messages.append(session.id, { role: 'assistant', parts })
    expect((await scope.messages.get(id)).parts).toEqual(parts)
    expect((await scope.messages.parts(id)).map(({ index }) => index)).toEqual(parts.map((_, index) => index))
  },

  'JSON of 128 levels is accepted, and one level more is too large': async ({ scope }) => {
    const session = await scope.sessions.create()
    const event = await scope.events.add(session.id, { type: 'deep', payload: nested(128) })
    expect(JSON.stringify(event.payload)).toBe(JSON.stringify(nested(128)))
    await refused('too_large', scope.events.add(session.id, { type: 'deep', payload: nested(129) }))
    await refused('too_large', scope.sessions.create({ metadata: { a: nested(128) } }))
    await refused(
      'too_large',
      scope.messages.append(session.id, { role: 'user', parts: [{ type: 'x', a: nested(20_000) }] }),
    )
    expect(await scope.sessions.count()).toBe(1)
  },

  'a page holds no more rows than the limit, and asking for more is invalid': async ({ fresh }) => {
    const scope = (await fresh({ limits: { pageRows: 5 } })).scope('workspace')
    const session = await scope.sessions.create()
    await scope.messages.appendAll(
      session.id,
      numbered(8).map((text) => says(text)),
    )
    await refused('invalid', scope.messages.list(session.id, { limit: 6 }))
    await refused('invalid', scope.sessions.list({ limit: 6 }))
    await refused('invalid', scope.events.list(session.id, { limit: 6 }))
    expect((await scope.messages.list(session.id, { limit: 5 })).items).toHaveLength(5)
    expect((await scope.messages.list(session.id)).items.length).toBeLessThanOrEqual(5)
    expect((await collect(scope.messages.iterate(session.id))).map(textOf)).toEqual(numbered(8))
  },

  'a page of messages ends at its limit of characters, and holds at least one': async ({ fresh }) => {
    const scope = (await fresh({ limits: { pageCharacters: 1000 } })).scope('workspace')
    const session = await scope.sessions.create()
    const texts = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(400))
    for (const text of texts) await scope.messages.append(session.id, says(text))
    await scope.messages.append(session.id, says('f'.repeat(5000)))
    const newest = await scope.messages.list(session.id)
    expect(newest.items.map((message) => textOf(message)[0])).toEqual(['f'])
    const older = await scope.messages.list(session.id, { before: newest.before ?? '' })
    expect(older.items.map((message) => textOf(message)[0])).toEqual(['d', 'e'])
    const oldest = await scope.messages.list(session.id, { before: older.before ?? '' })
    expect(oldest.items.map((message) => textOf(message)[0])).toEqual(['b', 'c'])
    const newer = await scope.messages.list(session.id, { after: oldest.after ?? '' })
    expect(newer.items.map((message) => textOf(message)[0])).toEqual(['d', 'e'])
    const around = await scope.messages.list(session.id, { around: nth(older.items, 0).id })
    expect(around.items.map(({ id }) => id)).toContain(nth(older.items, 0).id)
    expect(await collect(scope.messages.iterate(session.id))).toHaveLength(6)
  },
})
