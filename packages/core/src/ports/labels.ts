import type { TagCount } from '../model/label.js'
import type { Page } from '../model/page.js'
import type { CallOptions } from '../model/primitives.js'
import type { Session } from '../model/session.js'

/** Tags are trimmed and lower case. Sessions are found by tag with `sessions.list({ tag })`. */
export interface TagRepository {
  /** Sets exactly these. */
  set(session: string, tags: readonly string[], options?: CallOptions): Promise<void>
  add(session: string, tags: readonly string[], options?: CallOptions): Promise<void>
  remove(session: string, tags: readonly string[], options?: CallOptions): Promise<void>
  of(session: string, options?: CallOptions): Promise<readonly string[]>
  /** All tags in use, with the number of unarchived sessions that carry each. */
  list(options?: PageOptions): Promise<Page<TagCount>>
}

/** Folders are paths with `/`, without `.`, `..` and a slash at the end. */
export interface FolderRepository {
  /** Sets exactly these. */
  set(session: string, folders: readonly string[], options?: CallOptions): Promise<void>
  add(session: string, folders: readonly string[], options?: CallOptions): Promise<void>
  remove(session: string, folders: readonly string[], options?: CallOptions): Promise<void>
  of(session: string, options?: CallOptions): Promise<readonly string[]>
  /** The unarchived sessions in a folder; with `descendants` also those below it. */
  find(folder: string, options?: FindOptions): Promise<Page<Session>>
}

export interface PageOptions extends CallOptions {
  cursor?: string | undefined
  limit?: number | undefined
}

export interface FindOptions extends PageOptions {
  descendants?: boolean | undefined
}
