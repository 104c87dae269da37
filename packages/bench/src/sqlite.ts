import { strict as assert } from 'node:assert'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scope } from '@holdfast/core'
import { openSqliteStore } from '@holdfast/sqlite'
import { type Comparison, compare, median, report } from './compare.js'
import { openRaw } from './raw-sqlite.js'
import { messageAt } from './workload.js'

// Both programs write the same rows into the same kind of file, each into its own, at the same durability, and both
// return the same objects. That is asserted before anything is measured.

const threadLength = 2000
const sessionCount = 5000
/** How many times as long as the first the second may take and still be called the same. */
const same = 1.25

const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
try {
  const results = []
  for (const comparison of [...(await appendAndRead()), ...(await lists())]) results.push(await compare(comparison))
  const reached = [report(results), await pageCost(), await forkCost()]
  process.exitCode = reached.every(Boolean) ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function prepared(name: string) {
  const path = join(folder, name)
  const store = await openSqliteStore({ path })
  return { path, store, scope: store.scope('bench') }
}

async function appendAndRead(): Promise<readonly Comparison[]> {
  const mine = await prepared('append.db')
  const session = await mine.scope.sessions.create()
  const theirs = await prepared('append-raw.db')
  const rawSession = await theirs.scope.sessions.create()
  const rawThread = await theirs.scope.sessions.create()
  await theirs.store.close()
  const raw = openRaw(theirs.path)
  const keys = raw.keysOf(rawSession.id)

  const thread = await mine.scope.sessions.create()
  const threadKeys = raw.keysOf(rawThread.id)
  for (let index = 0; index < threadLength; index++) {
    await mine.scope.messages.append(thread.id, messageAt(index))
    raw.append(threadKeys, messageAt(index))
  }
  const loaded = await collect(mine.scope, thread.id)
  assertSame(loaded, raw.load(threadKeys))
  assertSame((await mine.scope.messages.list(thread.id)).items, raw.last(threadKeys, 50))

  const batch = 500
  return [
    {
      name: 'append',
      goal: 0.8,
      rounds: 25,
      operations: batch,
      raw: () => {
        for (let index = 0; index < batch; index++) raw.append(keys, messageAt(index))
      },
      holdfast: async () => {
        for (let index = 0; index < batch; index++) await mine.scope.messages.append(session.id, messageAt(index))
      },
    },
    {
      name: `iterate over ${threadLength} messages`,
      goal: 0.8,
      rounds: 60,
      operations: 1,
      raw: () => {
        for (const message of raw.load(threadKeys)) assert(message.position > 0)
      },
      holdfast: async () => {
        for await (const message of mine.scope.messages.iterate(thread.id)) assert(message.position > 0)
      },
    },
    {
      name: 'last 50 messages',
      goal: 0.8,
      rounds: 60,
      operations: 50,
      raw: () => {
        for (let time = 0; time < 50; time++) raw.last(threadKeys, 50)
      },
      holdfast: async () => {
        for (let time = 0; time < 50; time++) await mine.scope.messages.list(thread.id)
      },
    },
  ]
}

/** Sessions, and where the fiftieth page of them begins. */
async function manySessions(name: string) {
  const { path, scope } = await prepared(name)
  for (let index = 0; index < sessionCount; index += 100)
    await scope.batch((write) => {
      for (let of = index; of < index + 100; of++)
        write.sessions.create({
          title: `Trip ${of}`,
          agent: 'planner',
          metadata: { of },
          lastActivityAt: 1e12 + (of >> 2),
        })
    })
  let page = await scope.sessions.list()
  for (let number = 1; number < 49; number++) page = await scope.sessions.list({ cursor: page.next ?? '' })
  return { path, scope, last: page.items.at(-1), cursor: page.next ?? '' }
}

async function lists(): Promise<readonly Comparison[]> {
  const { path, scope, last, cursor } = await manySessions('list.db')
  const raw = openRaw(path)
  const after = { at: last?.lastActivityAt ?? 0, id: last?.id ?? '' }
  const key = raw.keysOf(last?.id ?? '').scope
  assert.deepEqual((await scope.sessions.list({ cursor })).items, raw.list(key, 50, after))
  assert.deepEqual((await scope.sessions.list()).items, raw.list(key, 50))

  const times = 50
  return [
    {
      name: `list 50 of ${sessionCount} sessions, page 1`,
      goal: 0.7,
      rounds: 60,
      operations: times,
      raw: () => {
        for (let time = 0; time < times; time++) raw.list(key, 50)
      },
      holdfast: async () => {
        for (let time = 0; time < times; time++) await scope.sessions.list()
      },
    },
    {
      name: `list 50 of ${sessionCount} sessions, page 50`,
      goal: 0.7,
      rounds: 60,
      operations: times,
      raw: () => {
        for (let time = 0; time < times; time++) raw.list(key, 50, after)
      },
      holdfast: async () => {
        for (let time = 0; time < times; time++) await scope.sessions.list({ cursor })
      },
    },
  ]
}

/** A page must cost the same wherever it is. */
async function pageCost(): Promise<boolean> {
  const { scope, cursor } = await manySessions('pages.db')
  const times = 50
  const { ratio, rawMicros, holdfastMicros } = await compare({
    name: 'pages',
    goal: 1 / same,
    rounds: 60,
    operations: times,
    raw: async () => {
      for (let time = 0; time < times; time++) await scope.sessions.list()
    },
    holdfast: async () => {
      for (let time = 0; time < times; time++) await scope.sessions.list({ cursor })
    },
  })
  return isSame('a page of sessions', ['page 1', rawMicros], ['page 50', holdfastMicros], 1 / ratio)
}

/** A fork must cost the same whatever it shares. */
async function forkCost(): Promise<boolean> {
  const { scope } = await prepared('fork.db')
  const short = await threadOf(scope, 10)
  const long = await threadOf(scope, 10_000)
  const measured = { short: [] as number[], long: [] as number[] }
  for (let round = 0; round < 300; round++) {
    measured.short.push(await timeOfFork(scope, short))
    measured.long.push(await timeOfFork(scope, long))
  }
  const [ten, tenThousand] = [median(measured.short), median(measured.long)]
  return isSame('a fork', ['10 messages', ten], ['10,000 messages', tenThousand], tenThousand / ten)
}

type Measured = readonly [where: string, micros: number]

function isSame(what: string, first: Measured, second: Measured, times: number): boolean {
  const [one, other] = [first, second].map(([where, micros]) => `at ${where} ${micros.toFixed(1)} µs`)
  const verdict = times <= same ? '' : '  above the goal'
  console.log(`\n${what} ${one}, ${other}: ${times.toFixed(2)} times, goal at most ${same}${verdict}`)
  return times <= same
}

async function timeOfFork(scope: Scope, session: string): Promise<number> {
  const started = performance.now()
  await scope.sessions.fork(session)
  return (performance.now() - started) * 1000
}

async function threadOf(scope: Scope, length: number): Promise<string> {
  const { id } = await scope.sessions.create()
  await scope.messages.appendAll(
    id,
    Array.from({ length }, (_, index) => messageAt(index)),
  )
  return id
}

async function collect(scope: Scope, session: string) {
  const messages = []
  for await (const message of scope.messages.iterate(session)) messages.push(message)
  return messages
}

/** The same but for ids and times, which each program mints itself. */
function assertSame(left: readonly object[], right: readonly object[]): void {
  const own = { id: '', session: '', branch: '', createdAt: 0, updatedAt: 0 }
  const comparable = (items: readonly object[]) => items.map((item) => ({ ...item, ...own }))
  assert.deepEqual(comparable(left), comparable(right))
}
