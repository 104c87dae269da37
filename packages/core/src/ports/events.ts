import type { Event, EventInput, EventListOptions } from '../model/event.js'
import type { CallOptions } from '../model/primitives.js'

/** A session's journal: gapless from 1, in the order of commits. Hosts add events; the store adds what it did. */
export interface EventRepository {
  /** With an id that exists: the same input returns the stored event, any other is `conflict`. */
  add(session: string, event: EventInput, options?: CallOptions): Promise<Event>
  /**
   * Entries after a seq, oldest first. Continue with the seq of the last one, until none come: a page of large entries
   * ends before its limit.
   */
  list(session: string, options?: EventListOptions): Promise<readonly Event[]>
  /** The newest entry of a type, or null. */
  latest(session: string, type: string, options?: CallOptions): Promise<Event | null>
}
