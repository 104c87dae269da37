import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { messageReader, type ProtocolMessage } from './protocol-messages.js'

/** Stands between clients and a Postgres server, and lets through what it is told to. Without TLS. */
export interface ReplyDropper {
  readonly port: number
  /** The same URL by way of the proxy. */
  url(of: string): string
  /**
   * From the next message of a client for which the condition holds, its replies are kept back. The message and those after
   * it do reach the server, and when the server has answered them the connection is destroyed and the promise resolves.
   */
  cut(when: (message: ProtocolMessage) => boolean): Promise<void>
  /** From now on no byte passes, and no connection is refused or closed. */
  pause(): void
  resume(): void
  close(): Promise<void>
}

interface Cut {
  readonly when: (message: ProtocolMessage) => boolean
  readonly done: () => void
}

export async function dropReplies(target: { readonly host: string; readonly port: number }): Promise<ReplyDropper> {
  const sockets = new Set<Socket>()
  let next: Cut | undefined
  let paused = false

  /** Hands out the cut that a message fulfils, once. */
  const cutFor = (message: ProtocolMessage) => {
    if (next === undefined || !next.when(message)) return undefined
    const cut = next
    next = undefined
    return cut
  }

  const proxy = createServer({ noDelay: true }, (client) => {
    const server = connect({ ...target, noDelay: true })
    forward(client, server, cutFor)
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      if (paused) socket.pause()
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  // A server that listens on a port of TCP has an address of this kind.
  const { port } = proxy.address() as AddressInfo

  return {
    port,
    url: (of) => {
      const url = new URL(of)
      url.hostname = '127.0.0.1'
      url.port = String(port)
      return url.href
    },
    cut: (when) =>
      new Promise((done) => {
        next = { when, done }
      }),
    pause: () => {
      paused = true
      for (const socket of sockets) socket.pause()
    },
    resume: () => {
      paused = false
      for (const socket of sockets) socket.resume()
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}

/** Copies between a client and the server until one of them ends, or until a cut has been carried out. */
function forward(client: Socket, server: Socket, cutFor: (message: ProtocolMessage) => Cut | undefined): void {
  let cut: Cut | undefined
  let asked = false
  /** How often the server has yet to say that it is ready for the next request. */
  let awaited = 1

  const readClient = messageReader('client', (message) => {
    const asks = message.type === 'Q' || message.type === 'S'
    if (asks) awaited++
    cut ??= cutFor(message)
    if (cut !== undefined && asks) asked = true
  })
  const readServer = messageReader('server', (message) => {
    if (message.type === 'Z') awaited--
  })

  client.on('data', (bytes) => {
    readClient(bytes)
    server.write(bytes)
  })
  server.on('data', (bytes) => {
    readServer(bytes)
    if (cut === undefined) client.write(bytes)
    else if (asked && awaited === 0) server.destroy()
  })
  server.on('close', () => cut?.done())
  for (const [here, there] of [
    [client, server],
    [server, client],
  ] as const) {
    // The close that follows an error says all there is to say.
    here.on('error', () => {})
    here.on('close', () => there.destroySoon())
  }
}
