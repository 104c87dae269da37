// Opens a store on its own pool or on one of the process', has connections end that are in use and connections that are
// not, by the server and by the way to it, and must not end by that.
import { connect, createServer } from 'node:net'
import { openPostgresStore } from '@holdfast/postgres'
import pg from 'pg'

const [url, kind] = process.argv.slice(2)
const { hostname, port } = new URL(url)
const ways = new Set()
const proxy = createServer((near) => {
  const far = connect(Number(port || 5432), hostname)
  near.pipe(far).pipe(near)
  for (const [one, another] of [
    [near, far],
    [far, near],
  ]) {
    one.on('error', () => {})
    one.on('close', () => another.destroy())
  }
  ways.add(near)
}).listen(0, '127.0.0.1')
await new Promise((resolve) => proxy.once('listening', resolve))
const connectionString = Object.assign(new URL(url), { host: `127.0.0.1:${proxy.address().port}` }).href

const pool = kind === 'shared' ? new pg.Pool({ connectionString }) : undefined
const store = await openPostgresStore(pool ? { pool } : { connectionString })
const scope = store.scope('survivor')
const session = await scope.sessions.create()
const other = new pg.Client({ connectionString: url })
await other.connect()

const endByServer = () =>
  other.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> $1',
    [other.processID],
  )
const endOnTheWay = () => {
  for (const way of ways) way.destroy()
  ways.clear()
}

const codes = new Set()
for (let time = 0; time < 20; time++) {
  const message = { role: 'user', parts: [] }
  const calls = [1, 2, 3, 4].map(() => scope.messages.append(session.id, message))
  calls.push(scope.sessions.list(), scope.sessions.get(session.id))
  const settled = Promise.allSettled(calls)
  // Half of the time all connections are idle, and half of the time calls are under way.
  if (time % 2 === 0) await settled
  await (time % 4 < 2 ? endByServer() : endOnTheWay())
  for (const { reason } of await settled) if (reason) codes.add(reason.code)
}
console.log([...codes].sort().join())

// At most the first call meets a connection that has ended.
await scope.sessions.list().catch(() => {})
await scope.sessions.list()
await store.close()
await pool?.end()
await other.end()
proxy.close()
