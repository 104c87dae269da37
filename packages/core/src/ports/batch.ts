import type { EventInput, UsageEntry } from '../model/event.js'
import type { AppendOptions, MessageInput } from '../model/message.js'
import type { SessionInput } from '../model/session.js'

/** What a batch knows about something it will create. */
export interface Minted {
  readonly id: string
}

/**
 * Collects writes that become one. Ids are minted at once, so a later call can use an earlier one's. Nothing is sent
 * before the builder function returns, and it must not be asynchronous.
 */
export interface BatchWriter {
  readonly sessions: {
    create(input?: SessionInput): Minted
    touch(session: string): void
    delete(session: string): void
    addUsage(session: string, usage: UsageEntry): Minted
  }
  readonly branches: { activate(session: string, branch: string): void }
  readonly messages: {
    append(session: string, message: MessageInput, options?: Omit<AppendOptions, 'signal'>): Minted
    appendAll(
      session: string,
      messages: readonly MessageInput[],
      options?: Omit<AppendOptions, 'signal'>,
    ): readonly Minted[]
  }
  readonly tags: LabelWriter
  readonly folders: LabelWriter
  readonly events: { add(session: string, event: EventInput): Minted }
}

export interface LabelWriter {
  set(session: string, values: readonly string[]): void
  add(session: string, values: readonly string[]): void
  remove(session: string, values: readonly string[]): void
}
