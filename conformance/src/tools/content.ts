import type { Message, MessageInput, Part, Scope, Session, ToolState } from '@holdfast/core'
import { expect } from 'vitest'

/** A user's message with one text. */
export function says(text: string, more: Partial<MessageInput> = {}): MessageInput {
  return { role: 'user', parts: [{ type: 'text', text }], ...more }
}

/** An assistant's message with one text. */
export function answers(text: string, more: Partial<MessageInput> = {}): MessageInput {
  return { role: 'assistant', parts: [{ type: 'text', text }], ...more }
}

/** An assistant's message with one tool call that waits for its output. */
export function calls(toolCallId: string, more: Readonly<Record<string, string>> = {}): MessageInput {
  const state: ToolState = 'input-available'
  return { role: 'assistant', parts: [{ type: 'tool-weather', toolCallId, state, input: { city: 'Oslo' }, ...more }] }
}

/** Appends one message for each text. */
export async function say(scope: Scope, session: Session, ...texts: string[]): Promise<readonly Message[]> {
  const messages: Message[] = []
  for (const text of texts) messages.push(await scope.messages.append(session.id, says(text)))
  return messages
}

/** A session with one message for each text. */
export async function conversation(scope: Scope, ...texts: string[]) {
  const session = await scope.sessions.create()
  return { session, messages: await say(scope, session, ...texts) }
}

export function textOf(message: Message): string {
  const text = message.parts[0]?.text
  return typeof text === 'string' ? text : ''
}

/** The texts of a path, oldest first. */
export async function path(scope: Scope, session: Session | string, branch?: string): Promise<readonly string[]> {
  const id = typeof session === 'string' ? session : session.id
  return (await collect(scope.messages.iterate(id, branch === undefined ? {} : { branch }))).map(textOf)
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

/** An item that must be there; from the end with a negative index. */
export function nth<Item>(items: readonly Item[], index: number): Item {
  const item = items.at(index)
  if (item === undefined) expect.fail(`there is no item ${index} among ${items.length}`)
  return item
}

/** The only item of a list. */
export function only<Item>(items: readonly Item[]): Item {
  expect(items).toHaveLength(1)
  return nth(items, 0)
}

export function partOf(message: Message, index = 0): Part {
  return nth(message.parts, index)
}

export function numbered(count: number, word = 'message'): string[] {
  return Array.from({ length: count }, (_, index) => `${word} ${index + 1}`)
}
