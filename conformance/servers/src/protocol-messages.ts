/** A message of the Postgres protocol. */
export interface ProtocolMessage {
  /** The letter it begins with. A connection's first message has none. */
  readonly type: string
  readonly body: Buffer
}

/** Finds the messages in the bytes that one side sends, wherever the bytes are torn apart. */
export function messageReader(side: 'client' | 'server', found: (message: ProtocolMessage) => void) {
  let unread = Buffer.alloc(0)
  let letters = side === 'server' ? 1 : 0
  return (bytes: Buffer): void => {
    unread = Buffer.concat([unread, bytes])
    while (unread.length >= letters + 4) {
      // The length counts itself, and not the letter.
      const end = letters + unread.readUInt32BE(letters)
      if (unread.length < end) return
      found({ type: unread.toString('latin1', 0, letters), body: unread.subarray(letters + 4, end) })
      unread = unread.subarray(end)
      letters = 1
    }
  }
}
