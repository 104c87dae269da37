import { openSqliteStore } from '@holdfast/sqlite'
import { describe, expect, it } from 'vitest'
import { startChild } from './support/child.js'
import { openDatabase } from './support/database.js'
import { ownPath } from './support/folder.js'

/** A store, and another process that holds the write lock of its file. */
async function lockedStore(busyTimeoutMs: number, observed: { operation: string; retries: number }[] = []) {
  const path = ownPath()
  const store = await openSqliteStore({ path, busyTimeoutMs, observe: (observation) => observed.push(observation) })
  const holder = startChild('hold-write-lock.mjs', { arguments: [path] })
  expect(await holder.next()).toBe('held')
  return { path, store, holder, scope: store.scope('default') }
}

/** The longest time for which the event loop stood still, measured until stopped. */
function watchEventLoop() {
  let longest = 0
  let ticks = 0
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    ticks++
  }, 1)
  return {
    ticks: () => ticks,
    stop() {
      clearInterval(timer)
      return longest
    },
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1))
}

describe('a write while another process holds the lock', () => {
  it('waits without stopping the event loop, and succeeds when the lock is free', async () => {
    const observed: { operation: string; retries: number }[] = []
    const { store, holder, scope } = await lockedStore(30_000, observed)
    const loop = watchEventLoop()
    const write = scope.sessions.create({ title: 'Patience' })
    await until(() => loop.ticks() > 30)
    holder.process.send('let go')
    expect(await write).toMatchObject({ title: 'Patience' })
    // The driver's own wait, with room for a machine that is busy with other things.
    expect(loop.stop()).toBeLessThan(250)
    expect(observed.at(-1)).toMatchObject({ operation: 'sessions.create', code: null })
    expect(observed.at(-1)?.retries).toBeGreaterThan(0)
    await store.close()
  })

  it('does not keep reads from being answered', async () => {
    const { store, scope } = await lockedStore(300)
    const write = scope.sessions.create({ title: 'Patience' }).catch((error) => error.code)
    expect((await scope.sessions.list()).items).toEqual([])
    expect(await write).toBe('busy')
    await store.close()
  })

  it('is busy when the time to wait is over, and can be repeated', async () => {
    const { store, holder, scope } = await lockedStore(300)
    holder.process.kill('SIGSTOP')
    const started = performance.now()
    await expect(scope.sessions.create({ id: 'ses_1' })).rejects.toMatchObject({ code: 'busy', retryable: true })
    expect(performance.now() - started).toBeGreaterThanOrEqual(300)
    holder.process.kill('SIGKILL')
    await holder.ended
    expect(await scope.sessions.create({ id: 'ses_1' })).toMatchObject({ id: 'ses_1' })
    await store.close()
  })

  it('is refused when its own time is over, however many wait before it', async () => {
    const observed: { operation: string; retries: number }[] = []
    const { store, holder, scope } = await lockedStore(500, observed)
    holder.process.kill('SIGSTOP')
    const started = performance.now()
    const writes = Array.from({ length: 200 }, (_, at) => scope.sessions.create({ id: `ses_${at}` }))
    for (const answer of await Promise.allSettled(writes)) {
      expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'busy', retryable: true } })
    }
    // Each one that tried in the driver after its time would take 20 ms and more.
    expect(performance.now() - started).toBeLessThan(2_000)
    expect(observed).toHaveLength(200)
    expect(observed.filter(({ retries }) => retries > 0).length).toBeLessThan(20)
    holder.process.kill('SIGKILL')
    await holder.ended
    expect((await scope.sessions.list()).items).toEqual([])
    expect(await scope.sessions.create({ id: 'ses_0' })).toMatchObject({ id: 'ses_0' })
    await store.close()
  })

  it('keeps its place in line when one before it gives up', async () => {
    const { path, store, holder, scope } = await lockedStore(30_000)
    const impatient = new AbortController()
    const first = scope.sessions.create({ title: 'first' })
    const second = scope.sessions.create({ title: 'second' }, { signal: impatient.signal })
    const third = scope.sessions.create({ title: 'third' })
    impatient.abort()
    await expect(second).rejects.toMatchObject({ code: 'aborted' })
    holder.process.send('let go')
    await Promise.all([first, third])
    const { ask } = await openDatabase(path)
    expect(ask('select title from holdfast_sessions order by key')).toEqual([['first'], ['third']])
    await store.close()
  })

  it('is aborted by its signal, with nothing written', async () => {
    const { store, holder, scope } = await lockedStore(30_000)
    const first = new AbortController()
    const second = new AbortController()
    const writes = [first, second].map(({ signal }, at) => scope.sessions.create({ id: `ses_${at}` }, { signal }))
    second.abort()
    await expect(writes[1]).rejects.toMatchObject({ code: 'aborted' })
    first.abort()
    await expect(writes[0]).rejects.toMatchObject({ code: 'aborted' })
    holder.process.send('let go')
    await holder.ended
    expect((await scope.sessions.list()).items).toEqual([])
    await store.close()
  })

  it('comes before the writes that were called after it', async () => {
    const { path, store, holder, scope } = await lockedStore(30_000)
    const titles = Array.from({ length: 20 }, (_, at) => `title ${at}`)
    const writes = titles.map((title) => scope.sessions.create({ title }))
    holder.process.send('let go')
    await Promise.all(writes)
    const { ask } = await openDatabase(path)
    expect(ask('select title from holdfast_sessions order by key')).toEqual(titles.map((title) => [title]))
    await store.close()
  })

  it('is finished before the store is closed', async () => {
    const { path, store, holder, scope } = await lockedStore(30_000)
    const write = scope.sessions.create({ title: 'Before the end' })
    const closed = store.close()
    holder.process.send('let go')
    await Promise.all([write, closed])
    const { ask } = await openDatabase(path)
    expect(ask('select title from holdfast_sessions')).toEqual([['Before the end']])
  })
})

describe('opening while another process holds the lock', () => {
  it('waits until it can migrate', async () => {
    const path = ownPath()
    const { db } = await openDatabase(path)
    db.exec('pragma journal_mode = wal; create table foreign_notes (body text)')
    const holder = startChild('hold-write-lock.mjs', { arguments: [path] })
    expect(await holder.next()).toBe('held')
    const opening = openSqliteStore({ path, busyTimeoutMs: 30_000 })
    holder.process.send('let go')
    await (await opening).close()
  })
})
