// Opens a store on its own pool or on one of the process', has the server end its connections, and must not end by that.
import { openPostgresStore } from '@holdfast/postgres'
import pg from 'pg'

const [url, kind] = process.argv.slice(2)
const pool = kind === 'shared' ? new pg.Pool({ connectionString: url }) : undefined
const store = await openPostgresStore(pool ? { pool } : { connectionString: url })
const scope = store.scope('survivor')
const session = await scope.sessions.create()
const other = new pg.Client({ connectionString: url })
await other.connect()

/** Ends all connections but this one, and waits until they are gone. */
async function endAll() {
  const others = 'from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
  await other.query(`select pg_terminate_backend(pid) ${others}`)
  while ((await other.query(`select 1 ${others}`)).rowCount > 0);
}

// Nobody uses them.
await Promise.all([scope.sessions.list(), scope.sessions.list()])
await endAll()
await scope.sessions.list()

// A write waits in its transaction.
await other.query('begin')
await other.query('select 1 from holdfast_sessions for update')
const write = scope.messages.append(session.id, { role: 'user', parts: [] })
const code = write.then(
  () => 'done',
  (error) => error.code,
)
const third = new pg.Client({ connectionString: url })
await third.connect()
const waiting = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`
while ((await third.query(waiting)).rowCount === 0);
await third.end()
console.log(await code)
await other.query('rollback')

// The connection is checked out, and nothing is under way on it: a migration is at work, or a caller's transaction.
const client = pool && (await pool.connect())
client?.on('error', () => {})
await endAll()
client?.release(true)

await scope.sessions.list()
await store.close()
await pool?.end()
await other.end()
