import type { JsonObject, JsonValue, PartInput, Scope } from '@holdfast/core'
import { expect } from 'vitest'
import { type Behaviour, group } from '../behaviour.js'
import { calls, nth, partOf, says } from '../tools/content.js'
import { dump } from '../tools/dump.js'
import { failureOf, refused } from '../tools/refusals.js'

/** Every place where a caller's JSON is kept: stores an object there and reads it back. */
const places: Readonly<Record<string, (scope: Scope, value: JsonObject) => Promise<JsonValue | undefined>>> = {
  'part of a message': async (scope, value) => {
    const session = await scope.sessions.create()
    const part: PartInput = { type: 'data-any', data: value }
    const { id } = await scope.messages.append(session.id, { role: 'user', parts: [part] })
    return partOf(await scope.messages.get(id)).data
  },
  'part of an unknown type': async (scope, value) => {
    const session = await scope.sessions.create()
    const { id } = await scope.messages.append(session.id, { role: 'user', parts: [{ type: 'unheard of', value }] })
    return nth(await scope.messages.parts(id), 0).payload.value
  },
  'metadata of a session': async (scope, value) => {
    const { id } = await scope.sessions.create({ metadata: value })
    return (await scope.sessions.get(id)).metadata
  },
  'metadata of a message': async (scope, value) => {
    const session = await scope.sessions.create()
    const { id } = await scope.messages.append(session.id, says('x', { metadata: value }))
    return (await scope.messages.get(id)).metadata
  },
  'trigger of a message': async (scope, value) => {
    const session = await scope.sessions.create()
    const { id } = await scope.messages.append(session.id, says('x', { trigger: value }))
    return (await scope.messages.get(id)).trigger
  },
  'error of a message': async (scope, value) => {
    const session = await scope.sessions.create()
    const { id } = await scope.messages.append(session.id, says('x', { error: value }))
    return (await scope.messages.get(id)).error
  },
  'metadata of a branch': async (scope, value) => {
    const session = await scope.sessions.create()
    const { id } = await scope.branches.create(session.id, { metadata: value })
    return (await scope.branches.get(id)).metadata
  },
  'agent configuration of a branch': async (scope, value) => {
    const session = await scope.sessions.create()
    const { id } = await scope.branches.create(session.id, { agentConfig: value })
    return (await scope.branches.get(id)).agentConfig
  },
  'payload of an event': async (scope, value) => {
    const session = await scope.sessions.create()
    await scope.events.add(session.id, { type: 'any', payload: value })
    return (await scope.events.latest(session.id, 'any'))?.payload
  },
  'output of a tool': async (scope, value) => {
    const session = await scope.sessions.create()
    const { id } = await scope.messages.append(session.id, calls('c'))
    await scope.parts.settle(session.id, 'c', { state: 'output-available', output: value })
    return partOf(await scope.messages.get(id)).output
  },
}

/** Texts, so that keys such as `__proto__` are written as they are meant. */
const lossless: Readonly<Record<string, string>> = {
  'the order of keys': '{"b":1,"a":2,"c":{"z":1,"y":2},"B":3}',
  'U+0000': String.raw`{"a\u0000b":"c\u0000d"}`,
  'lone surrogates': String.raw`{"\ud800":"x\udfffy","pair":"😀"}`,
  'large whole numbers':
    '{"n":[9007199254740991,9007199254740992,-9007199254740993,1e21,5e-324,1.7976931348623157e308]}',
  'nested nulls': '{"a":null,"b":[null,[null]],"c":{"d":null}}',
  'empty keys and values': '{"":{"":""},"a":[],"b":{},"c":""}',
  '__proto__ as plain data': '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":1}',
  'every kind of text': String.raw`{"t":"\u2028\u2029\t\r\n\b\\\"' %_ -- ; ﷽ 😀 é e\u0301 \u200f"}`,
  'numbers of every kind': '{"n":[0,-1,1.5,0.1,1e-7,123456789.123456]}',
}

function keeps(text: string): Behaviour['run'] {
  return async ({ scope }) => {
    const value: JsonObject = JSON.parse(text)
    const expected = JSON.stringify(value)
    for (const [place, storeAndRead] of Object.entries(places))
      expect(JSON.stringify(await storeAndRead(scope, value)), place).toBe(expected)
    expect('polluted' in {}).toBe(false)
  }
}

const cyclic: Record<string, unknown> = {}
cyclic.self = { cyclic }
class Exotic {
  readonly field = 1
}

const notJson: Readonly<Record<string, unknown>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  'a BigInt': 1n,
  'a Date': new Date(0),
  'a Map': new Map([[1, 2]]),
  'a Set': new Set(),
  'a function': () => 1,
  'a symbol': Symbol('s'),
  bytes: new Uint8Array(2),
  'a class instance': new Exotic(),
  'an array with holes': new Array(2),
  'an undefined item': [undefined],
  'a wrapped number': Object(1),
}

/** Changes everything that can be reached. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const below of Object.values(value)) spoil(below)
  Object.assign(value, { spoilt: true })
  if (Array.isArray(value)) value.length = 0
}

export const json = group('JSON', {
  ...Object.fromEntries(Object.entries(lossless).map(([what, text]) => [`JSON keeps ${what}`, keeps(text)])),

  'undefined properties are dropped and -0 becomes 0': async ({ scope }) => {
    const value = { a: undefined, b: -0, c: [-0], d: { e: undefined } }
    for (const [place, storeAndRead] of Object.entries(places)) {
      const read = await storeAndRead(scope, value)
      expect(JSON.stringify(read), place).toBe('{"b":0,"c":[0],"d":{}}')
      expect(Object.is((read as typeof value).b, 0), place).toBe(true)
    }
  },

  'what append returns for -0 and undefined is what a read returns': async ({ scope }) => {
    const session = await scope.sessions.create()
    const part: PartInput = { type: 'data-any', data: { b: -0, a: undefined } }
    const appended = await scope.messages.append(session.id, { role: 'user', parts: [part], metadata: { n: -0 } })
    expect(appended).toStrictEqual(await scope.messages.get(appended.id))
  },

  'what a caller changes after a call is not stored': async ({ scope }) => {
    const session = await scope.sessions.create()
    await scope.messages.append(session.id, calls('c'))
    const value = { state: 'before' }
    const written = [
      scope.messages.append(session.id, { role: 'user', parts: [{ type: 'unheard of', value }], metadata: value }),
      scope.sessions.update(session.id, { metadata: value }),
      scope.sessions.fork(session.id, { metadata: value }),
      scope.branches.create(session.id, { agentConfig: value }),
      scope.branches.update(session.activeBranch, { metadata: value }),
      scope.events.add(session.id, { type: 'any', payload: value }),
      scope.parts.settle(session.id, 'c', { state: 'output-available', output: value }),
      scope.batch((write) => write.messages.append(session.id, says('x', { metadata: value }))),
    ]
    value.state = 'after'
    await Promise.all(written)
    expect(JSON.stringify(await dump(scope))).not.toContain('"after"')
  },

  'what a caller changes in a result changes nothing stored': async ({ scope }) => {
    const session = await scope.sessions.create({
      metadata: { a: { b: 1 } },
      participants: [{ userId: 'u' }],
      tags: ['t'],
    })
    await scope.messages.append(session.id, says('x', { metadata: { a: 1 } }))
    await scope.events.add(session.id, { type: 'any', payload: { a: 1 } })
    const before = await dump(scope)
    const expected = JSON.stringify(before)
    spoil(before)
    expect(JSON.stringify(await dump(scope))).toBe(expected)
  },

  'a null prototype makes no difference': async ({ scope }) => {
    const value: JsonObject = Object.assign(Object.create(null), { a: 1 })
    for (const [place, storeAndRead] of Object.entries(places))
      expect(JSON.stringify(await storeAndRead(scope, value)), place).toBe('{"a":1}')
  },

  'what is not JSON is invalid, and nothing is written': async ({ scope }) => {
    const session = await scope.sessions.create()
    await scope.messages.append(session.id, calls('c'))
    const before = await dump(scope)
    for (const [what, bad] of Object.entries(notJson)) {
      // The types forbid it; the test is what happens when they are not heeded.
      const value = { deep: [{ bad }] } as unknown as JsonObject
      const attempts = [
        () => scope.messages.append(session.id, { role: 'user', parts: [{ type: 'data-any', data: value }] }),
        () => scope.messages.append(session.id, { role: 'user', parts: [{ type: 'unheard of', value }] }),
        () => scope.messages.append(session.id, says('x', { metadata: value })),
        () => scope.messages.append(session.id, says('x', { trigger: value })),
        () => scope.messages.append(session.id, says('x', { error: value })),
        () => scope.sessions.create({ metadata: value }),
        () => scope.sessions.update(session.id, { metadata: value }),
        () => scope.branches.create(session.id, { metadata: value }),
        () => scope.branches.create(session.id, { agentConfig: value }),
        () => scope.branches.update(session.activeBranch, { metadata: value }),
        () => scope.events.add(session.id, { type: 'any', payload: value }),
        () => scope.parts.settle(session.id, 'c', { state: 'output-available', output: value }),
      ]
      for (const attempt of attempts) expect((await refused('invalid', attempt())).message, what).not.toBe('')
    }
    expect(await dump(scope)).toEqual(before)
  },

  'a cycle is refused, and nothing is written': async ({ scope }) => {
    const session = await scope.sessions.create()
    const before = await dump(scope)
    const value = cyclic as JsonObject
    for (const attempt of [
      () => scope.sessions.create({ metadata: value }),
      () => scope.messages.append(session.id, { role: 'user', parts: [{ type: 'data-any', data: value }] }),
      () => scope.events.add(session.id, { type: 'any', payload: value }),
    ]) {
      const { code } = await failureOf(attempt())
      expect(['invalid', 'too_large']).toContain(code)
    }
    expect(await dump(scope)).toEqual(before)
  },

  'metadata that is no object is invalid': async ({ scope }) => {
    const session = await scope.sessions.create()
    for (const bad of [null, 1, 'text', true, [], new Exotic()]) {
      const metadata = bad as unknown as JsonObject
      await refused('invalid', scope.sessions.create({ metadata }))
      await refused('invalid', scope.sessions.update(session.id, { metadata }))
      await refused('invalid', scope.messages.append(session.id, says('x', { metadata })))
      await refused('invalid', scope.branches.create(session.id, { metadata }))
    }
    expect(await scope.sessions.count()).toBe(1)
  },

  'a part of ten megabytes is kept whole': async ({ scope }) => {
    const session = await scope.sessions.create()
    const text = `${'0123456789abcde\u{1f600}'.repeat(600_000)}end`
    const message = await scope.messages.append(session.id, says(text, { id: 'large' }))
    expect(message.parts[0]?.text === text).toBe(true)
    expect(partOf(await scope.messages.get('large')).text === text).toBe(true)
    const listed = nth((await scope.messages.list(session.id)).items, 0)
    expect(partOf(listed).text === text).toBe(true)
    await scope.messages.append(session.id, says(text, { id: 'large' }))
    expect((await scope.sessions.get(session.id)).messageCount).toBe(1)
  },

  'a large part of characters outside the basic plane is kept whole, wherever it is cut': async ({ scope }) => {
    const session = await scope.sessions.create()
    for (const shift of ['', 'x']) {
      const text = shift + '\u{1f600}'.repeat(1_100_000)
      const { id } = await scope.messages.append(session.id, says(text))
      expect(partOf(await scope.messages.get(id)).text === text).toBe(true)
    }
  },

  'a part that grows and shrinks as it settles is kept whole': async ({ scope }) => {
    const session = await scope.sessions.create()
    const { id } = await scope.messages.append(session.id, calls('c'))
    for (const output of ['x'.repeat(3_000_000), 'small', 'y'.repeat(1_500_000)]) {
      await scope.parts.settle(session.id, 'c', { state: 'output-available', output, preliminary: true })
      expect(partOf(await scope.messages.get(id)).output === output).toBe(true)
      expect(nth(await scope.messages.parts(id), 0).payload.output === output).toBe(true)
    }
  },

  'free texts keep every character': async ({ scope }) => {
    const text = 'a\u0000b \ud800 \u{1f600} "quoted" \\'
    const session = await scope.sessions.create({ summary: text, workingMemory: text })
    await scope.sessions.setStatus(session.id, { from: 'idle', to: 'waiting', reason: text })
    const read = await scope.sessions.get(session.id)
    expect([read.summary, read.workingMemory, read.statusReason]).toEqual([text, text, text])
  },

  'texts in columns with U+0000 or half a surrogate pair are invalid': async ({ scope }) => {
    const { id } = await scope.sessions.create()
    for (const bad of ['a\u0000b', 'a\ud800', '\udc00a']) {
      await refused('invalid', scope.sessions.create({ title: bad }))
      await refused('invalid', scope.sessions.create({ id: bad }))
      await refused('invalid', scope.sessions.create({ agent: bad }))
      await refused('invalid', scope.sessions.create({ tags: [bad] }))
      await refused('invalid', scope.sessions.create({ provenance: { topic: bad } }))
      await refused('invalid', scope.sessions.get(bad))
      await refused('invalid', scope.messages.append(id, { role: bad, parts: [] }))
      await refused('invalid', scope.messages.append(id, { role: 'user', parts: [{ type: bad }] }))
      await refused('invalid', scope.events.add(id, { type: bad }))
      await refused('invalid', scope.folders.add(id, [bad]))
    }
    expect(await scope.sessions.count()).toBe(1)
  },
})
