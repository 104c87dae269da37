import type { MessageInput } from '@holdfast/core'

const sentence = 'The fjord is calm in the morning, and the ferry leaves on the hour from the pier below the fortress. '

/** A usual conversation: about 600 bytes of text, and every fourth message with a tool call of 1.5 KB. */
export function messageAt(index: number): MessageInput {
  const text = { type: 'text', text: sentence.repeat(6) }
  if (index % 4 !== 3) return { role: index % 2 === 0 ? 'user' : 'assistant', parts: [text] }
  const tool = {
    type: 'tool-search',
    toolCallId: `call_${index}`,
    state: 'output-available',
    input: { query: 'ferries', limit: 10 },
    output: { hits: Array.from({ length: 14 }, (_, hit) => ({ hit, text: sentence })) },
  }
  return { role: 'assistant', parts: [{ type: 'step-start' }, text, tool] }
}
