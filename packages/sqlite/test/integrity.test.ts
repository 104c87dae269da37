import type { IntegrityProblem } from '@holdfast/core'
import { type SqlExecutor, sqliteTraits } from '@holdfast/sql'
import { openSqliteStore } from '@holdfast/sqlite'
import { describe, expect, it } from 'vitest'
import { createCompiler } from '../../sql/src/compile.js'
import { everyFinding } from '../../sql/src/upkeep/findings.js'
import { integrityCheck } from '../../sql/src/upkeep/integrity.js'
import { type OpenDatabase, openDatabase } from './support/database.js'
import { ownPath } from './support/folder.js'

/** A store with something of everything, and a connection of somebody who can do what the store never would. */
async function usedStore() {
  const path = ownPath()
  const store = await openSqliteStore({ path })
  const scope = store.scope('default')
  await scope.sessions.create({
    id: 'trip',
    title: 'Secret Trip',
    source: 'mail',
    externalRef: 'ref',
    participants: [{ userId: 'inger' }, { userId: 'isak' }],
    tags: ['secret'],
    metadata: { secret: true },
    summary: 'secret',
  })
  await scope.messages.appendAll(
    'trip',
    [1, 2, 3, 4].map((number) => ({
      id: `message-${number}`,
      role: 'user',
      metadata: { secret: number },
      parts: [
        { type: 'text', text: `secret 😀 ${number}`, state: 'done' },
        { type: 'tool-weather', toolCallId: `call-${number}`, state: 'input-available', input: { secret: true } },
        { type: 'future', state: { of: 'things' }, toolCallId: 'data' },
      ],
    })),
  )
  await scope.parts.settle('trip', 'call-4', { state: 'output-available', output: 'secret' })
  await scope.branches.rewind('trip', { at: 'message-3' })
  await scope.sessions.setStatus('trip', { from: 'idle', to: 'running', reason: 'secret' })
  await scope.events.add('trip', { type: 'progress', payload: { secret: 1 } })
  await scope.sessions.fork('trip', { id: 'fork', at: 'message-2' })
  await scope.sessions.create({ id: 'old', title: 'Ångström' })
  await scope.sessions.archive('old')
  await scope.sessions.create({ id: 'gone', participants: [{ userId: 'inger' }] })
  await scope.messages.append('gone', { id: 'kept', role: 'user', parts: [{ type: 'text', text: 'secret' }] })
  await scope.sessions.setStatus('gone', { from: 'idle', to: 'failed' })
  await scope.sessions.fork('gone', { at: 'kept' })
  await scope.sessions.delete('gone')
  const raw = await openDatabase(path)
  raw.db.exec('pragma foreign_keys = off')
  return { store, scope, raw }
}

async function problemsAfter(damage: string | ((raw: OpenDatabase) => void)): Promise<readonly IntegrityProblem[]> {
  const { store, raw } = await usedStore()
  if (typeof damage === 'string') raw.db.exec(damage)
  else damage(raw)
  const { ok, problems } = await store.admin.integrity()
  expect(ok).toBe(problems.length === 0)
  await store.close()
  return problems
}

const ofTrip = `(select key from holdfast_sessions where id = 'trip')`
const ofMessage = (number: number) =>
  `(branch, position) = (select branch, position from holdfast_messages where id = 'message-${number}')`

/** What can be found, each with damage that it must be found in. */
const damages: readonly (readonly [finding: string, kind: IntegrityProblem['kind'], damage: string])[] = [
  ['a part without its message', 'orphan', `delete from holdfast_messages where id = 'message-4'`],
  ['a message without its branch', 'orphan', `delete from holdfast_branches where origin = 'root'`],
  ['a branch without its session', 'orphan', `delete from holdfast_sessions where id = 'trip'`],
  ['a label without its session', 'orphan', `insert into holdfast_labels values (1, 99, 'tag', 'secret')`],
  [
    'a journal entry without its session',
    'orphan',
    `insert into holdfast_journal (scope, session, seq, type, at) values (1, 99, 1, 'secret', 0)`,
  ],
  ['a session without its scope', 'orphan', 'delete from holdfast_scopes'],
  ['a session whose active branch is not its own', 'pointer', 'update holdfast_sessions set active_branch = 1'],
  [
    'a branch whose parent does not own the message at its base',
    'pointer',
    `update holdfast_branches set base = 50, head = 50 where origin = 'fork'`,
  ],
  [
    'a branch whose parent does not own the message at its base',
    'pointer',
    `update holdfast_branches set parent = key where origin = 'fork'`,
  ],
  [
    'a deleted session with rows that nothing shows',
    'unswept',
    `update holdfast_sessions set id = null, former_id = id, shelf = 2 where id = 'fork'`,
  ],
  ['a deleted scope that is still there', 'unswept', 'update holdfast_scopes set id = null'],
  [
    'a branch with a gap in its messages',
    'gap',
    `delete from holdfast_parts where ${ofMessage(2)}; delete from holdfast_messages where id = 'message-2'`,
  ],
  [
    'a branch whose head is not its last position',
    'count',
    `delete from holdfast_parts where ${ofMessage(4)}; delete from holdfast_messages where id = 'message-4'`,
  ],
  ['a branch whose head is not its last position', 'count', 'update holdfast_branches set head = head + 5'],
  ['a journal with a gap', 'gap', 'delete from holdfast_journal where seq = 2'],
  ['a message with a gap in its parts', 'gap', `delete from holdfast_parts where "index" = 0 and ${ofMessage(2)}`],
  ['a part with a gap in its payload', 'gap', `update holdfast_parts set chunk = 1 where ${ofMessage(2)}`],
  ['a session that is not on its shelf', 'count', `update holdfast_sessions set shelf = 1 where id = 'trip'`],
  ['a session that is not on its shelf', 'count', `update holdfast_sessions set shelf = 0 where id = 'old'`],
  ['a session that is not on its shelf', 'count', 'update holdfast_sessions set shelf = 0 where id is null'],
  ['a session whose reference is not of its source', 'count', `update holdfast_sessions set source = 'post'`],
  ...[
    'participants_json',
    'model_json',
    'permissions_json',
    'summary_json',
    'working_memory_json',
    'transcript_json',
    'metadata_json',
    'status_reason_json',
  ].map(
    (column) =>
      [
        'a session with a text that is not JSON',
        'engine',
        `update holdfast_sessions set ${column} = '{secret' where id = 'trip'`,
      ] as const,
  ),
  [
    'a session whose folded title is not of its title',
    'count',
    `update holdfast_sessions set title_folded = 'secret' where id = 'trip'`,
  ],
  [
    'a session whose folded title is not of its title',
    'count',
    `update holdfast_sessions set title_folded = null where id = 'old'`,
  ],
  [
    'a session whose folded title is not of its title',
    'count',
    `update holdfast_sessions set title_folded = 'secret' where title is null`,
  ],
  [
    'a session whose participants are not its labels',
    'count',
    `delete from holdfast_labels where kind = 'participant' and value = 'isak' and session = ${ofTrip}`,
  ],
  [
    'a session whose participants are not its labels',
    'count',
    `insert into holdfast_labels values (1, ${ofTrip}, 'participant', 'secret')`,
  ],
  [
    'a session whose status is not the latest of its journal',
    'count',
    `update holdfast_sessions set status = 'idle' where id = 'trip'`,
  ],
  [
    'a session whose status is not the latest of its journal',
    'count',
    `update holdfast_sessions set status = 'failed' where id = 'old'`,
  ],
  ...['agent_config_json', 'metadata_json'].map(
    (column) =>
      [
        'a branch with a text that is not JSON',
        'engine',
        `update holdfast_branches set ${column} = '{secret'`,
      ] as const,
  ),
  ...['model_json', 'usage_json', 'error_json', 'trigger_json', 'metadata_json'].map(
    (column) =>
      [
        'a message with a text that is not JSON',
        'engine',
        `update holdfast_messages set ${column} = 'secret' where id = 'message-2'`,
      ] as const,
  ),
  [
    'a message whose size is not that of what it holds',
    'count',
    `update holdfast_messages set size = size + 1 where id = 'kept'`,
  ],
  ['a message whose size is not that of what it holds', 'count', `delete from holdfast_parts where ${ofMessage(2)}`],
  ['a part whose payload is not JSON', 'engine', `update holdfast_parts set payload_json = '{secret'`],
  ...[
    `type = 'reasoning' where type = 'text'`,
    `state = null where type = 'text'`,
    `state = 'done' where type = 'future'`,
  ]
    .concat(`tool_call_id = 'secret' where type = 'tool-weather'`, `tool_call_id = 'data' where type = 'future'`)
    .concat(`state = 'output-available' where type = 'tool-weather'`, `payload_json = '"secret"'`)
    .map(
      (change) =>
        [
          'a part whose type, state or call is not that of its payload',
          'count',
          `update holdfast_parts set ${change}`,
        ] as const,
    ),
  [
    'a journal entry whose payload is not JSON',
    'engine',
    `update holdfast_journal set payload_json = '{secret' where type = 'progress'`,
  ],
]

describe('integrity', () => {
  it('finds nothing where nothing is wrong', async () => {
    expect(await problemsAfter('')).toEqual([])
  })

  it.each(damages)('finds %s (%s): %s', async (finding, kind, damage) => {
    const problems = await problemsAfter(damage)
    expect(problems).toContainEqual({ kind, detail: expect.stringMatching(new RegExp(`^${finding} \\([\\d, ]+\\)$`)) })
    expect(JSON.stringify(problems)).not.toMatch(/secret(?! trip)/i)
  })

  it('finds what the engine finds in tables of the library', async () => {
    const problems = await problemsAfter(({ db }) => {
      db.exec(`
        create table parents (key integer primary key); create table children (parent integer references parents (key));
        insert into children values (99);
        delete from holdfast_messages where id = 'message-4';
      `)
      // The index keeps the entries of another column than it says.
      db.unsafeMode(true)
      db.exec(`
        pragma writable_schema = on;
        update sqlite_schema set sql = replace(sql, '"id"', '"digest"') where name = 'holdfast_branches_id';
        pragma writable_schema = reset;
      `)
    })
    const details = problems.filter(({ kind }) => kind === 'engine').map(({ detail }) => detail)
    expect(details).toContainEqual('holdfast_parts names a missing row of holdfast_messages')
    expect(details).toContainEqual(expect.stringContaining('missing from index holdfast_branches_id'))
    expect(details.filter((detail) => /children|parents/.test(detail))).toEqual([])
  })

  it('names enough of what is wrong everywhere, and not all of it', async () => {
    const store = await openSqliteStore({ path: ownPath() })
    const raw = await openDatabase(store.path)
    const scope = store.scope('default')
    await scope.sessions.create({ id: 'long' })
    const parts = [{ type: 'text', text: '' }]
    await scope.messages.appendAll(
      'long',
      Array.from({ length: 1_200 }, () => ({ role: 'user', parts })),
    )
    expect((await store.admin.integrity()).problems).toEqual([])
    raw.db.exec('update holdfast_messages set size = 1 where position = 1100')
    expect((await store.admin.integrity()).problems).toEqual([
      { kind: 'count', detail: 'a message whose size is not that of what it holds (1, 1, 1100)' },
    ])
    raw.db.exec('update holdfast_messages set size = 1')
    expect((await store.admin.integrity()).problems).toHaveLength(100)
    await store.close()
  })

  it('reads no more at once than it can hold, and still every part', async () => {
    const store = await openSqliteStore({ path: ownPath() })
    const raw = await openDatabase(store.path)
    const scope = store.scope('default')
    await scope.sessions.create({ id: 'long' })
    for (const length of [5, 3, 3, 0, 9])
      await scope.messages.append('long', {
        role: 'user',
        parts: [{ type: 'text', text: 'x'.repeat(length * 1024 * 1024) }],
      })
    expect((await store.admin.integrity()).problems).toEqual([])
    raw.db.exec(`update holdfast_parts set type = 'reasoning'`)
    expect((await store.admin.integrity()).problems).toHaveLength(5)
    await store.close()
  })

  it('lets the event loop run meanwhile', async () => {
    const store = await openSqliteStore({ path: ownPath() })
    const scope = store.scope('default')
    await scope.sessions.create({ id: 'long' })
    const parts = [{ type: 'text', text: 'x'.repeat(1_000) }]
    for (let lot = 0; lot < 3; lot++)
      await scope.messages.appendAll(
        'long',
        Array.from({ length: 10_000 }, () => ({ role: 'user', parts })),
      )
    let ticks = 0
    const timer = setInterval(() => ticks++, 1)
    await store.admin.integrity()
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(5)
    await store.close()
  })

  it('is tried with damage of every kind that it knows', () => {
    const nothing: SqlExecutor = {
      chains: false,
      write: () => Promise.reject(new Error('It only reads.')),
      read: async () => [],
      exclusively: () => Promise.reject(new Error('It only reads.')),
      close: async () => undefined,
    }
    const statements: string[] = []
    const form = { scope: 'by id', chained: false } as const
    integrityCheck(
      nothing,
      createCompiler(sqliteTraits, form, ({ name }) => statements.push(name)),
    )
    const rules = statements.filter((name) => name.startsWith('a '))
    expect(new Set(damages.map(([finding]) => finding))).toEqual(new Set([...rules, ...everyFinding]))
  })
})
