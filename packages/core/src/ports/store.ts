import type { Capabilities } from '../capabilities.js'
import type { CallOptions } from '../model/primitives.js'
import type { Admin } from './admin.js'
import type { BatchWriter } from './batch.js'
import type { BranchRepository } from './branches.js'
import type { EventRepository } from './events.js'
import type { FolderRepository, TagRepository } from './labels.js'
import type { MessageRepository, PartRepository } from './messages.js'
import type { SessionRepository } from './sessions.js'

/** A tenant, a workspace or an agent: everything in it is out of reach for every other scope. */
export interface Scope {
  readonly id: string
  readonly sessions: SessionRepository
  readonly branches: BranchRepository
  readonly messages: MessageRepository
  readonly parts: PartRepository
  readonly tags: TagRepository
  readonly folders: FolderRepository
  readonly events: EventRepository

  /**
   * Makes several writes one: all or nothing. Resolves to what the builder function returned.
   *
   * A batch may be repeated, as its calls may: when all that it creates is stored already, by the same input, none of it
   * is written again, and the writes that create nothing (labels, `touch`, `activate`, `delete`) are carried out as if
   * they were called again. A session that the batch deletes may be gone by then. When only some of what it creates is
   * stored, or by another input, the batch is `conflict` and writes nothing.
   *
   * @example
   * ```ts
   * const id = await scope.batch((write) => {
   *   const session = write.sessions.create({ title: 'Trip to Oslo' })
   *   write.messages.append(session.id, { role: 'user', parts: [{ type: 'text', text: 'Two days' }] })
   *   return session.id
   * })
   * ```
   */
  batch<Result>(build: (write: BatchWriter) => Result, options?: CallOptions): Promise<Result>
}

/** What a host holds: a backend with the whole contract on it. */
export interface Store {
  readonly capabilities: Capabilities
  readonly admin: Admin
  scope(id: string): Scope
  /** Waits for what is under way. Afterwards every call fails with `closed`. Closing twice is no error. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
