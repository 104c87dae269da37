import type { Pool } from 'pg'

/** What a connection of the driver is told to send. Its types say it differently, and not all. */
interface Sender {
  parse(message: { readonly text: string }): void
  query(text: string): void
}

/** The texts of all statements that are sent on connections of a pool, each of them once. */
export function overhear(pool: Pool): Set<string> {
  const texts = new Set<string>()
  pool.on('connect', (client) => {
    if (!('connection' in client)) throw new TypeError('The driver keeps its connection elsewhere.')
    const sender = client.connection as unknown as Sender
    const { parse, query } = sender
    sender.parse = (message) => {
      texts.add(message.text)
      parse.call(sender, message)
    }
    sender.query = (text) => {
      texts.add(text)
      query.call(sender, text)
    }
  })
  return texts
}
