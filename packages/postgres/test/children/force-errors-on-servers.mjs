// Plants secrets wherever a host can put something, forces every error that can be reached, and prints each of them whole,
// with what the observer is told and what a store looks like. Its output is searched for the secrets.
import { inspect } from 'node:util'
import { migratePostgres, openPostgresStore } from '@holdfast/postgres'
import { dropReplies, startPostgres } from '@holdfast/servers'
import pg from 'pg'

const { content, password } = JSON.parse(process.argv[2])
const whole = (value) => inspect(value, { depth: 10, showHidden: true, getters: true })
const observe = (observation) => console.log(whole(observation))
const impatient = { statementTimeoutMs: 500, connectTimeoutMs: 1_500, observe }

async function attempt(what, call) {
  try {
    await call()
    console.log(`${what}: done`)
  } catch (error) {
    console.log(`${what}: ${error.code}`, whole(error), String(error), error.stack, JSON.stringify(error))
  }
}

const message = (id) => ({
  ...(id && { id }),
  role: 'assistant',
  agent: content,
  sender: content,
  metadata: { [content]: content },
  error: { message: content },
  parts: [
    { type: 'text', text: content },
    { type: 'tool-x', toolCallId: `call-${id}`, state: 'input-available', input: { [content]: content } },
  ],
})
const patch = { title: content, summary: content, metadata: { of: content } }
const description = { ...patch, tags: [content], folders: [content] }

const server = await startPostgres({ version: 18 })
const roles = new pg.Client({ connectionString: server.url() })
await roles.connect()
for (const [role, settings] of [
  ['owner', ''],
  ['reader', 'default_transaction_read_only = on'],
  ['hasty', 'lock_timeout = 50'],
]) {
  await roles.query(`create role ${role} login superuser password '${password}'`)
  if (settings) await roles.query(`alter role ${role} set ${settings}`)
}
const as = (user, database = 'postgres') => server.url(database, { user, password })
const url = as('owner')

const store = await openPostgresStore({ connectionString: url, maxConnections: 2, ...impatient })
const scope = store.scope('canaries')
const { sessions, messages } = scope
await sessions.create({ id: 'ses', ...description })
await messages.append('ses', message('msg'))
for (const thing of [store, scope, sessions, store.within(roles), scope.sessions.list]) console.log(whole(thing))

// What core refuses.
await attempt('another message of the id', () => messages.append('ses', { ...message('msg'), agent: `${content}!` }))
await attempt('another session of the id', () => sessions.create({ id: 'ses', ...description, title: `${content}!` }))
await attempt('another version', () => sessions.update('ses', patch, { ifVersion: 99 }))
await attempt('not the last message', () => messages.append('ses', message(), { after: null }))
await attempt('no such session', () => messages.append('none', message()))
await attempt('not valid', () => sessions.create({ ...description, title: `${content}\u0000` }))
await attempt('no such field', () => sessions.create({ ...description, [content]: content }))
await attempt('no such part', () =>
  messages.append('ses', { role: 'user', parts: [{ type: 'text', text: { content } }] }),
)
await attempt('too large', () => sessions.create({ title: content.repeat(1000) }))
await attempt('settled twice', async () => {
  for (const output of [content, `${content}!`])
    await scope.parts.settle('ses', 'call-msg', { state: 'output-available', output: { output } })
})
await attempt('a wrong cursor', () => sessions.list({ cursor: content }))
await attempt('given up', () => sessions.list({ signal: AbortSignal.abort(new Error(content)) }))

// What the server refuses, with content in every field of its error, under each code that means something to a store.
await roles.query(`create table raised (code text);
  create function complain() returns trigger language plpgsql as $$ begin
    raise exception using errcode = (select code from raised), message = 'm: ' || new::text, detail = 'd: ' || new::text,
      hint = 'h: ' || new::text, column = 'c: ' || new::text, constraint = 'n: ' || new::text;
  end $$;
  create trigger complain before insert on holdfast_parts for each row execute function complain()`)
for (const code of [
  ...[
    '23505',
    '23514',
    '22001',
    '22P02',
    '22021',
    '25006',
    '28000',
    '3D000',
    '3F000',
    '40001',
    '40P01',
    '42501',
    '42601',
  ],
  ...[
    '42703',
    '42P01',
    '53100',
    '53200',
    '53300',
    '54000',
    '55P03',
    '57014',
    '57P01',
    '57P03',
    '58030',
    '08006',
    '0A000',
  ],
  ...['26000', 'XX000', 'XX001', 'P0001', 'EPIPE', 'ZZZZZ'],
]) {
  await roles.query(`truncate raised; insert into raised values ('${code}')`)
  await attempt(`the server raises ${code}`, () => messages.append('ses', message()))
}
await roles.query('drop trigger complain on holdfast_parts')
await roles.query('alter table holdfast_messages add constraint never check (false) not valid')
await attempt('a constraint that others made', () => messages.append('ses', message()))
await roles.query('alter table holdfast_messages drop constraint never')

// Others hold what is needed.
await roles.query('begin')
await roles.query('select 1 from holdfast_sessions for update')
await attempt('the time of a statement is over', () => messages.append('ses', message()))
const hasty = await openPostgresStore({ connectionString: as('hasty'), observe })
await attempt('the time for a lock is over', () => hasty.scope('canaries').messages.append('ses', message()))
await hasty.close()
const narrow = await openPostgresStore({ connectionString: url, maxConnections: 1, connectTimeoutMs: 1_500, observe })
const write = attempt('a write that waits', () => narrow.scope('canaries').messages.append('ses', message()))
await attempt('no connection is free', () => narrow.scope('canaries').sessions.update('ses', patch))
const inside = new pg.Client({ connectionString: url })
await inside.connect()
await attempt('in no transaction', () => store.within(inside).scope('canaries').sessions.create(description))
await inside.query(`begin; set local statement_timeout = 100`)
await attempt('in a transaction', () => store.within(inside).scope('canaries').messages.append('ses', message()))
await inside.end()
await roles.query('rollback')
await write
await narrow.close()

// The way to the server is lost.
const proxy = await dropReplies({ host: server.host, port: server.port })
const far = await openPostgresStore({ connectionString: proxy.url(url), maxConnections: 2, ...impatient })
const lost = proxy.cut(({ type, body }) => type === 'B' && body.includes(content))
await attempt('the reply is lost', () => far.scope('canaries').messages.append('ses', message()))
await lost
const kill = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'holdfast'`
for (let time = 0; time < 5; time++) {
  await Promise.all([attempt('the connection is ended', () => messages.append('ses', message())), roles.query(kill)])
}
await attempt('the connection was ended', () => far.scope('canaries').sessions.list())
await server.kill('SIGSTOP')
await attempt('the server says nothing', () => far.scope('canaries').messages.append('ses', message()))
await attempt('the server says nothing at all', () => far.scope('canaries').messages.append('ses', message()))
await server.kill('SIGCONT')
await far.close()
await proxy.close()

// A store cannot be opened.
const opening = {
  'a wrong password': { connectionString: server.url('postgres', { user: 'owner', password: `${password}!` }) },
  'no such database': { connectionString: as('owner', 'none') },
  'no TLS': { connectionString: url, ssl: true },
  'no scheme': { connectionString: url.replace('postgres://', '') },
  'no such port': { host: server.host, port: 1, user: 'owner', password, database: 'postgres' },
  'no such host': { host: 'holdfast.invalid', user: 'owner', password },
  'a password twice': { connectionString: url, password },
  'a password that fails': {
    host: server.host,
    port: server.port,
    user: 'owner',
    password: () => Promise.reject(password),
  },
  'a superuser and row-level security': { connectionString: url, rowLevelSecurity: true, schema: 'guarded' },
  'no tables': { connectionString: url, schema: 'nowhere', migrate: false },
  'only reading': { connectionString: as('reader'), schema: 'unmade' },
}
for (const [what, options] of Object.entries(opening)) {
  await attempt(what, () => openPostgresStore({ ...impatient, ...options }))
  await attempt(`${what}, to migrate`, () => migratePostgres({ ...impatient, ...options }))
}
const reader = await openPostgresStore({ connectionString: as('reader'), observe })
await attempt('a role that only reads', () => reader.scope('canaries').messages.append('ses', message()))
await reader.close()

// The ground goes.
await roles.query('drop table holdfast_parts cascade')
await attempt('a table is gone', () => messages.append('ses', message()))
await attempt('a table is gone for a read', () => messages.list('ses'))
await attempt('a table is gone at open', () => openPostgresStore({ connectionString: url }))
await roles.query('drop schema public cascade')
await attempt('the schema is gone', () => messages.append('ses', message()))
await roles.end()
await server.kill('SIGKILL')
await attempt('the server is gone', () => messages.append('ses', message()))
await attempt('the server is gone for a read', () => sessions.list({ title: content }))
await attempt('the server is gone at open', () => openPostgresStore({ connectionString: url }))
await store.close()
await attempt('closed', () => messages.append('ses', message()))
console.log(whole(store))
await server.stop()
process.disconnect()
