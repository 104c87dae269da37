import type {
  AppendOptions,
  IterateOptions,
  Message,
  MessageInput,
  MessageListOptions,
  MessageSettlement,
} from '../model/message.js'
import type { ThreadPage } from '../model/page.js'
import type { PartRecord, PartSettlement } from '../model/part.js'
import type { CallOptions } from '../model/primitives.js'

/** Messages are appended and settle later; their place never changes. */
export interface MessageRepository {
  /**
   * Stores a message at the next position of a branch. Must be acknowledged only when it survives the death of the
   * process. With an id that exists in the same session: the same input returns the stored message, any other is
   * `conflict`, as is an id of another session. With `after`, `conflict` when that is not the last message.
   */
  append(session: string, message: MessageInput, options?: AppendOptions): Promise<Message>

  /** Many at once, all or none. All stored already returns them, some stored already is `conflict`. */
  appendAll(session: string, messages: readonly MessageInput[], options?: AppendOptions): Promise<readonly Message[]>

  /** A message by its id, as long as some session shows it. */
  get(message: string, options?: CallOptions): Promise<Message>

  /**
   * A page of a path, oldest first: by default the newest page of the active branch. `before` and `after` take the
   * cursors of another page and stay on the branch it began on; `around` centres the page on a message.
   */
  list(session: string, options?: MessageListOptions): Promise<ThreadPage<Message>>

  /** A whole thread, oldest first, in bounded memory; with `branches: 'all'` all that the session owns. */
  iterate(session: string, options?: IterateOptions): MessageIterable

  /** The parts of a message with what the store knows about each. */
  parts(message: string, options?: CallOptions): Promise<readonly PartRecord[]>

  /** Closes a message once. The same settlement again returns it; a different one is `conflict`. */
  settle(message: string, settlement: MessageSettlement, options?: CallOptions): Promise<Message>
}

/** Every iteration over it begins anew. */
export interface MessageIterable extends AsyncIterable<Message> {
  [Symbol.asyncIterator](): AsyncIterableIterator<Message, undefined>
}

export interface PartRepository {
  /**
   * Moves a tool call on: the nearest one with that call id on the active path, also when it is in an earlier turn or in
   * the session forked from. It settles for every branch that shows it, once. A result never loses the input.
   *
   * A settlement that says only what stands already returns the part, also when the call has gone on since. One that says
   * otherwise is `conflict`: another output, an answer to another approval or a second, different answer, an output of
   * what was denied.
   */
  settle(session: string, toolCallId: string, settlement: PartSettlement, options?: CallOptions): Promise<PartRecord>
}
