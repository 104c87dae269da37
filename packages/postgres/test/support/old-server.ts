import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * Speaks as much of the protocol as a store hears before it knows which version the server has. No programs of versions
 * that are too old can be installed any more.
 */
export async function oldServer(version: number): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    // The first message asks for a connection. Whatever comes later is a question that ends with a request to answer.
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', number32(0)), message('K', number32(1), number32(2)), ready]))
      answerEach(socket, [String(version), '1', 'postgres', '1'])
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  // A server that listens on a port of TCP has an address of this kind.
  const { port } = server.address() as AddressInfo
  return `postgres://postgres:secret@127.0.0.1:${port}/postgres`
}

const ready = message('Z', Buffer.from('I'))
const end = message('S')

function answerEach(socket: Socket, row: readonly string[]): void {
  const columns = row.map((_, at) =>
    Buffer.concat([text(`c${at}`), number32(0), number16(0), number32(25), number16(-1), number32(-1), number16(0)]),
  )
  const fields = row.map((field) => Buffer.concat([number32(Buffer.byteLength(field)), Buffer.from(field)]))
  const answer = [
    message('1'),
    message('2'),
    message('T', number16(columns.length), ...columns),
    message('D', number16(fields.length), ...fields),
    message('C', text('SELECT 1')),
    ready,
  ]
  socket.on('data', (bytes) => void (bytes.subarray(-end.length).equals(end) && socket.write(Buffer.concat(answer))))
}

/** A letter, the length of what follows with itself, and the rest. */
function message(letter: string, ...rest: readonly Buffer[]): Buffer {
  const body = Buffer.concat(rest)
  return Buffer.concat([Buffer.from(letter), number32(body.length + 4), body])
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`)
}

function number16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
