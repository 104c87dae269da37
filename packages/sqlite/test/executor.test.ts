import type { Call } from '@holdfast/core'
import type { About, Step } from '@holdfast/sql'
import { describe, expect, it } from 'vitest'
import { type OpenDatabase, openDatabase } from './support/database.js'
import { ownPath } from './support/folder.js'

const insert = { text: 'insert into notes (body) values (?)', returns: false }
const insertReturning = { text: 'insert into notes (body) values (?) returning key, body', returns: true }
const update = { text: 'update notes set body = ? where key = ?', returns: false }
const all = { text: 'select body from notes order by key', returns: true }

const about: About = { scope: 'workspace' }

function call(signal?: AbortSignal): Call {
  return { signal, retries: 0 }
}

async function notes(path?: string): Promise<OpenDatabase> {
  const database = await openDatabase(path)
  database.db.exec('create table if not exists notes (key integer primary key, body text not null) strict')
  return database
}

/** A promise with its ends outside, which Node.js has itself only from 22 on. */
function signalled() {
  let resolve = () => {}
  let reject = (_: Error) => {}
  const promise = new Promise<void>((onResolved, onRejected) => {
    resolve = onResolved
    reject = onRejected
  })
  return { promise, resolve, reject }
}

function bodies({ ask }: OpenDatabase): readonly unknown[] {
  return ask('select body from notes order by key').map(([body]) => body)
}

describe('a write', () => {
  it('answers with the rows that each step returned', async () => {
    const { executor } = await notes()
    const steps: Step[] = [
      { statement: insert, values: ['first'] },
      { statement: insertReturning, values: ['second'] },
    ]
    expect(await executor.write(steps, about, call())).toEqual({ done: true, rows: [[], [[2, 'second']]] })
  })

  it.each([
    ['affects', { statement: update, values: ['changed', 99], expects: 1 }],
    ['returns', { statement: insertReturning, values: ['second'], expects: 2 }],
  ])('is undone, and names the step, when a step %s another number of rows than it must', async (_, step) => {
    const database = await notes()
    const steps: Step[] = [{ statement: insert, values: ['first'], expects: 1 }, step]
    expect(await database.executor.write(steps, about, call())).toEqual({ done: false, step: 1 })
    expect(bodies(database)).toEqual([])
    expect(database.db.inTransaction).toBe(false)
  })

  it('is undone when a step fails', async () => {
    const database = await notes()
    const steps: Step[] = [
      { statement: insert, values: ['first'] },
      { statement: insert, values: [null] },
    ]
    await expect(database.executor.write(steps, about, call())).rejects.toMatchObject({
      code: 'SQLITE_CONSTRAINT_NOTNULL',
    })
    expect(bodies(database)).toEqual([])
    expect(database.db.inTransaction).toBe(false)
  })

  it('takes place before the call returns when nobody is in its way', async () => {
    const database = await notes()
    const write = database.executor.write([{ statement: insert, values: ['first'] }], about, call())
    expect(bodies(database)).toEqual(['first'])
    await write
  })

  it('sends nothing when it was aborted before', async () => {
    const database = await notes()
    const write = database.executor.write([{ statement: insert, values: ['first'] }], about, call(AbortSignal.abort()))
    await expect(write).rejects.toMatchObject({ code: 'aborted' })
    expect(bodies(database)).toEqual([])
  })
})

describe('a write that found the database busy', () => {
  it('still comes before a write that is called when the lock is free', async () => {
    const path = ownPath()
    const database = await notes(path)
    const other = await notes(path)
    other.db.exec('begin immediate')
    const first = database.executor.write([{ statement: insert, values: ['first'] }], about, call())
    other.db.exec('commit')
    const second = database.executor.write([{ statement: insert, values: ['second'] }], about, call())
    await Promise.all([first, second])
    expect(bodies(database)).toEqual(['first', 'second'])
  })

  it('is finished before the executor is closed', async () => {
    const path = ownPath()
    const database = await notes(path)
    const other = await notes(path)
    other.db.exec('begin immediate')
    const counted = call()
    const write = database.executor.write([{ statement: insert, values: ['first'] }], about, counted)
    const closed = database.executor.close()
    other.db.exec('commit')
    await Promise.all([write, closed])
    expect(counted.retries).toBeGreaterThan(0)
    expect(bodies(other)).toEqual(['first'])
    expect(database.db.open).toBe(false)
  })
})

describe('a read', () => {
  it('sees one state in all of its queries, whatever others commit', async () => {
    const path = ownPath()
    const database = await notes(path)
    database.db.exec('pragma journal_mode = wal')
    const other = await notes(path)
    // A function of the first query lets another connection commit in the middle of the read.
    database.db.function('meanwhile', () => other.db.prepare(`insert into notes (body) values ('late')`).run().changes)
    const disturbed = { text: 'select count(*), meanwhile() from notes', returns: true }
    const rows = await database.executor.read(
      [
        { statement: disturbed, values: [] },
        { statement: all, values: [] },
      ],
      about,
      call(),
    )
    expect(rows).toEqual([[[0, 1]], []])
    expect(bodies(database)).toEqual(['late'])
  })

  it('that fails leaves no transaction behind', async () => {
    const database = await notes()
    const broken = { text: 'select abs(-9223372036854775808)', returns: true }
    const queries = [
      { statement: all, values: [] },
      { statement: broken, values: [] },
    ]
    await expect(database.executor.read(queries, about, call())).rejects.toThrow('integer overflow')
    expect(database.db.inTransaction).toBe(false)
  })
})

describe('work that has the database for itself', () => {
  it('is not seen, joined or undone by calls that come meanwhile', async () => {
    const database = await notes()
    const { executor } = database
    const begun = signalled()
    const failed = signalled()
    const work = executor.exclusively(async (session) => {
      await session.run(`insert into notes (body) values ('undone')`)
      begun.resolve()
      await failed.promise
    })
    await begun.promise
    const write = executor.write([{ statement: insert, values: ['kept'] }], about, call())
    const read = executor.read([{ statement: all, values: [] }], about, call())
    failed.reject(new Error('changed its mind'))
    await expect(work).rejects.toThrow('changed its mind')
    await write
    expect(await read).toEqual([[['kept']]])
    expect(bodies(database)).toEqual(['kept'])
  })

  it('is committed when it is done', async () => {
    const database = await notes()
    const result = await database.executor.exclusively(async (session) => {
      await session.run(`insert into notes (body) values ('first')`)
      return session.all('select body from notes')
    })
    expect(result).toEqual([['first']])
    expect(database.db.inTransaction).toBe(false)
    expect(bodies(database)).toEqual(['first'])
  })
})
