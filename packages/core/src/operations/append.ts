import { notFound } from '../errors.js'
import type { AppendOptions, Message, MessageInput } from '../model/message.js'
import type { Command } from '../ports/commands.js'
import type { Work } from '../work.js'
import type { Creation, Draft } from './draft.js'
import { journalEntry } from './events.js'
import { assertDistinctIds, messageOf, newMessage, writtenMessage } from './message-rows.js'

/**
 * Messages at the next positions of a branch, each with its journal entry and what it spent. Where they replace a message,
 * which one is part of what was said.
 */
export function appendMessages(
  work: Work,
  session: string,
  inputs: readonly MessageInput[],
  { branch, after }: AppendOptions,
  replaced?: string,
): Draft<readonly Message[]> {
  const messages = inputs.map((input) => newMessage(work, input, replaced))
  if (messages.length > 1) assertDistinctIds(messages, work.limits.writesPerBatch)
  const commands: Command[] = [{ type: 'append', session, branch: branch ?? null, after, at: work.now, messages }]
  for (const { message, usage } of messages) {
    commands.push(journalEntry(work, session, { type: 'message', message: message.id }))
    if (usage) commands.push({ type: 'add-usage', session, usage })
  }
  return {
    commands,
    creations: messages.map(({ message }) => creationOfMessage(session, message.id, message.digest)),
    result: (receipts) => {
      const { branch: written = '', position = 0 } = receipts[0] ?? {}
      return messages.map((message, index) =>
        writtenMessage(message, { session, branch: written, position: position + index }),
      )
    },
    replay: (later) => Promise.all(messages.map(({ message }) => storedMessage(later, message.id))),
  }
}

function creationOfMessage(session: string, id: string, digest: string): Creation {
  return {
    entity: 'message',
    id,
    stored: async (work) => {
      const located = await work.backend.messages.get(work.scope, id, work)
      if (located === undefined) return 'none'
      const same = !located.gone && located.message.session === session && located.digest === digest
      return same ? 'same' : 'other'
    },
  }
}

export async function storedMessage(work: Work, id: string): Promise<Message> {
  const located = await work.backend.messages.get(work.scope, id, work)
  if (located === undefined) throw notFound('message', id)
  return messageOf(located.message)
}
