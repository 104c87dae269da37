import type { Branch, BranchInput, BranchPatch, RegenerateInput, RewindInput, Sibling } from '../model/branch.js'
import type { Message, MessageInput } from '../model/message.js'
import type { CallOptions, UpdateOptions } from '../model/primitives.js'

/**
 * Paths through a session. Every session has one active branch. Fork, edit, regenerate and rewind are one mechanism: a
 * new branch that points at a position. One row is written, whatever the length.
 */
export interface BranchRepository {
  /** The branches of a session, oldest first. */
  list(session: string, options?: CallOptions): Promise<readonly Branch[]>
  get(branch: string, options?: CallOptions): Promise<Branch>

  /** A branch that keeps the messages up to `at`. It becomes active only with `activate: true`. */
  create(session: string, input?: BranchInput, options?: CallOptions): Promise<Branch>
  update(branch: string, patch: BranchPatch, options?: UpdateOptions): Promise<Branch>
  activate(branch: string, options?: CallOptions): Promise<Branch>

  /** The messages that follow the same message as the one named, on all branches of the session, oldest first. */
  siblings(session: string, message: string, options?: CallOptions): Promise<readonly Sibling[]>

  /** A new active branch that ends at `at`. The old one stays, and `undo` returns to it. */
  rewind(session: string, input: RewindInput, options?: CallOptions): Promise<Branch>

  /** Activates the branch that the active one replaced. `conflict` when it replaced none. */
  undo(session: string, options?: CallOptions): Promise<Branch>

  /**
   * Replaces a message: a new active branch that ends before it, with the given message appended. With an id that exists:
   * the same edit of the same message returns the stored one, anything else is `conflict`.
   */
  edit(session: string, message: string, input: MessageInput, options?: CallOptions): Promise<Message>

  /** A new active branch that ends before the message, ready for another answer. */
  regenerate(session: string, message: string, input?: RegenerateInput, options?: CallOptions): Promise<Branch>
}
