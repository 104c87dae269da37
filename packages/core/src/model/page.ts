/** A page of a list. `next` continues it, and is null at the end. */
export interface Page<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}

/** A page of a thread, oldest first. `before` and `after` page either way, and are null where nothing more stands. */
export interface ThreadPage<Item> {
  readonly items: readonly Item[]
  readonly before: string | null
  readonly after: string | null
}
