import { isToolPart, type JsonValue, type Part, type PartInput, type TextPart, type ToolState } from '@holdfast/core'
import { openMemoryStore } from '@holdfast/core/memory'
import { describe, expect, expectTypeOf, it } from 'vitest'

async function parts(...given: readonly PartInput[]): Promise<readonly Part[]> {
  const scope = (await openMemoryStore()).scope('s')
  const { id } = await scope.sessions.create()
  return (await scope.messages.append(id, { role: 'assistant', parts: given })).parts
}

describe('the parts of a message', () => {
  it('are told apart by their type', async () => {
    const said: string[] = []
    const given = [
      { type: 'text', text: 'hello' },
      { type: 'reasoning', text: 'hm' },
      { type: 'tool-weather', toolCallId: 'c', state: 'input-available', input: 1 },
      { type: 'data-weather', data: { c: -3 } },
    ]
    for (const part of await parts(...given)) {
      if (part.type === 'text' || part.type === 'reasoning') said.push(part.text)
      else if (part.type === 'tool-weather') {
        expectTypeOf(part.state).toEqualTypeOf<ToolState>()
        said.push(part.toolCallId)
      } else if (part.type === 'data-weather') {
        expectTypeOf(part.data).toEqualTypeOf<JsonValue>()
        said.push(JSON.stringify(part.data))
      }
    }
    expect(said).toEqual(['hello', 'hm', 'c', '{"c":-3}'])
  })

  it('are told apart by guards', async () => {
    for (const part of await parts({ type: 'dynamic-tool', toolName: 't', toolCallId: 'c', state: 'input-streaming' }))
      expect(isToolPart(part) && part.state).toBe('input-streaming')
    expectTypeOf<Part>().extract<{ readonly type: 'text' }>().toEqualTypeOf<TextPart>()
  })

  it('may be of types that nobody knows, and can be given again as they were read', async () => {
    const read = await parts({ type: 'hologram', depth: 3 })
    for (const part of read) {
      const type: string = part.type
      if (type === 'hologram') expect(part.depth).toBe(3)
      else expect.fail(type)
    }
    expect(await parts(...read)).toEqual(read)
  })
})
