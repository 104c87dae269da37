import { strict as assert } from 'node:assert'
import type { Scope } from '@holdfast/core'
import { openPostgresStore } from '@holdfast/postgres'
import { startPostgres } from '@holdfast/servers'
import { type Comparison, compare, median, report } from './compare.js'
import { openRawPostgres } from './raw-postgres.js'
import { messageAt } from './workload.js'

// Both programs write the same rows into the same server, each into its own schema, at the same durability, and both
// return the same objects. That is asserted before anything is measured. Nothing analyses the tables.

const threadLength = 2000
const sessionCount = 5000
const writers = 32

const closers: (() => Promise<void>)[] = []
const server = await startPostgres({ version: 18, durable: true, settings: { autovacuum: 'off' } })
try {
  const url = await server.createDatabase('bench')
  const results = []
  for (const comparison of [...(await appendAndRead(url)), ...(await lists(url)), await together(url)]) {
    results.push(await compare(comparison))
  }
  const reached = report(results)
  const flat = await growth(url)
  process.exitCode = reached && flat ? 0 : 1
} finally {
  for (const close of closers) await close()
  await server.stop()
}

/** A schema made by the library, which both kinds of program can write. */
async function opened(connectionString: string, schema: string) {
  const store = await openPostgresStore({ connectionString, schema })
  const raw = openRawPostgres(connectionString, schema)
  closers.push(() => store.close(), raw.close)
  return { scope: store.scope('bench'), raw }
}

async function appendAndRead(url: string): Promise<readonly Comparison[]> {
  const mine = await opened(url, 'mine')
  const theirs = await opened(url, 'theirs')
  const session = await mine.scope.sessions.create()
  const thread = await mine.scope.sessions.create()
  const keys = await theirs.raw.keysOf((await theirs.scope.sessions.create()).id)
  const threadKeys = await theirs.raw.keysOf((await theirs.scope.sessions.create()).id)
  for (let index = 0; index < threadLength; index++) {
    await mine.scope.messages.append(thread.id, messageAt(index))
    await theirs.raw.append(threadKeys, messageAt(index))
  }
  assertSame(await collect(mine.scope, thread.id), await theirs.raw.load(threadKeys))
  assertSame((await mine.scope.messages.list(thread.id)).items, await theirs.raw.last(threadKeys, 50))

  const batch = 200
  return [
    {
      name: 'append',
      goal: 0.8,
      rounds: 25,
      operations: batch,
      raw: async () => {
        for (let index = 0; index < batch; index++) await theirs.raw.append(keys, messageAt(index))
      },
      holdfast: async () => {
        for (let index = 0; index < batch; index++) await mine.scope.messages.append(session.id, messageAt(index))
      },
    },
    {
      name: `load ${threadLength} messages`,
      goal: 0.8,
      rounds: 40,
      operations: 1,
      raw: async () => {
        for (const message of await theirs.raw.load(threadKeys)) assert(message.position > 0)
      },
      holdfast: async () => {
        for await (const message of mine.scope.messages.iterate(thread.id)) assert(message.position > 0)
      },
    },
    {
      name: 'last 50 messages',
      goal: 0.8,
      rounds: 40,
      operations: 50,
      raw: async () => {
        for (let time = 0; time < 50; time++) await theirs.raw.last(threadKeys, 50)
      },
      holdfast: async () => {
        for (let time = 0; time < 50; time++) await mine.scope.messages.list(thread.id)
      },
    },
  ]
}

async function lists(url: string): Promise<readonly Comparison[]> {
  const { scope, raw } = await opened(url, 'lists')
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
  const last = page.items.at(-1)
  const cursor = page.next ?? ''
  const after = { at: last?.lastActivityAt ?? 0, id: last?.id ?? '' }
  const { scope: key } = await raw.keysOf(last?.id ?? '')
  assert.deepEqual((await scope.sessions.list({ cursor })).items, await raw.list(key, 50, after))
  assert.deepEqual((await scope.sessions.list()).items, await raw.list(key, 50))

  const times = 50
  const comparison = (name: string, byHand: () => Promise<unknown>, own: () => Promise<unknown>): Comparison => ({
    name,
    goal: 0.8,
    rounds: 40,
    operations: times,
    raw: async () => {
      for (let time = 0; time < times; time++) await byHand()
    },
    holdfast: async () => {
      for (let time = 0; time < times; time++) await own()
    },
  })
  return [
    comparison(
      `list 50 of ${sessionCount} sessions, page 1`,
      () => raw.list(key, 50),
      () => scope.sessions.list(),
    ),
    comparison(
      `list 50 of ${sessionCount} sessions, page 50`,
      () => raw.list(key, 50, after),
      () => scope.sessions.list({ cursor }),
    ),
  ]
}

async function together(url: string): Promise<Comparison> {
  const mine = await opened(url, 'together')
  const theirs = await opened(url, 'together_by_hand')
  const each = 20
  const sessions = await Promise.all(Array.from({ length: writers }, () => mine.scope.sessions.create()))
  const keys = await Promise.all(
    Array.from({ length: writers }, async () => theirs.raw.keysOf((await theirs.scope.sessions.create()).id)),
  )
  return {
    name: `append by ${writers} writers at once`,
    goal: 1,
    rounds: 25,
    operations: writers * each,
    raw: async () => {
      await Promise.all(
        keys.map(async (own) => {
          for (let index = 0; index < each; index++) await theirs.raw.append(own, messageAt(index))
        }),
      )
    },
    holdfast: async () => {
      await Promise.all(
        sessions.map(async ({ id }) => {
          for (let index = 0; index < each; index++) await mine.scope.messages.append(id, messageAt(index))
        }),
      )
    },
  }
}

/** What an append costs while the tables grow and nothing analyses them: it must not depend on what is there. */
async function growth(url: string): Promise<boolean> {
  const { scope } = await opened(url, 'growth')
  const { id } = await scope.sessions.create()
  const costs: number[] = []
  for (let written = 0; written < 20_000; written++) {
    const started = performance.now()
    await scope.messages.append(id, messageAt(written))
    costs.push((performance.now() - started) * 1000)
  }
  const first = median(costs.slice(500, 2500))
  const last = median(costs.slice(-2000))
  const ratio = last / first
  console.log(
    `\nappend at 0 to 2,500 messages ${first.toFixed(0)} µs, at 20,000 messages ${last.toFixed(0)} µs: ${ratio.toFixed(2)} times, goal at most 1.25`,
  )
  return ratio <= 1.25
}

async function collect(scope: Scope, session: string) {
  const messages = []
  for await (const message of scope.messages.iterate(session)) messages.push(message)
  return messages
}

/** The same but for what is random: ids and times. */
function assertSame(mine: readonly object[], theirs: readonly object[]): void {
  const plain = (messages: readonly object[]) =>
    messages.map((message) => ({ ...message, id: '', session: '', branch: '', createdAt: 0, updatedAt: 0 }))
  assert.deepEqual(plain(mine), plain(theirs))
}
