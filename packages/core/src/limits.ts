/** What a store accepts at most. Everything above is refused with `too_large`. */
export interface Limits {
  /** Bytes of an id, a scope or a call id. */
  readonly idBytes: number
  /** Bytes of one tag. */
  readonly tagBytes: number
  /** Bytes of a title and of every other short text, such as an agent or a sender. */
  readonly titleBytes: number
  /** Bytes of a path: folders, working directories, locations. */
  readonly pathBytes: number
  /** Bytes of a metadata object and of a free text, as JSON. */
  readonly metadataBytes: number
  /** Bytes of one part and of one event's payload, as JSON. */
  readonly partBytes: number
  /** How many parts one message may have. */
  readonly partsPerMessage: number
  /** How many writes one batch, and messages one `appendAll`, may hold. */
  readonly writesPerBatch: number
  /** How deeply JSON may nest. */
  readonly jsonDepth: number
  /** Rows of one page. */
  readonly pageRows: number
  /** Characters of what a page of messages, sessions or events holds; it holds at least one, however large. */
  readonly pageCharacters: number
}

export const defaultLimits: Limits = {
  idBytes: 128,
  tagBytes: 256,
  titleBytes: 1024,
  pathBytes: 4096,
  metadataBytes: 256 * 1024,
  partBytes: 16 * 1024 * 1024,
  partsPerMessage: 10_000,
  writesPerBatch: 10_000,
  jsonDepth: 128,
  pageRows: 1000,
  pageCharacters: 8 * 1024 * 1024,
}
