import { existsSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { openSqliteStore } from '@holdfast/sqlite'
import { describe, expect, it } from 'vitest'
import { startChild } from './support/child.js'
import { ownPath } from './support/folder.js'

interface Answer {
  readonly ok: boolean
  readonly code?: string
  readonly message?: string
}

/** Another process with a store of the file. */
async function otherHost(options: Readonly<Record<string, unknown>>) {
  const child = startChild('open-store.mjs', { arguments: [JSON.stringify(options)] })
  await child.next()
  child.process.send('open')
  return { ...child, answer: await child.next<Answer>() }
}

describe('a store that has a file for itself', () => {
  it.each([{ exclusive: true }, { exclusive: false }])(
    'keeps another process out, which learns who the holder is: %o',
    async ({ exclusive }) => {
      const path = ownPath()
      const store = await openSqliteStore({ path, exclusive: true, clock: () => 1_700_000_000_000 })
      const { answer } = await otherHost({ path, exclusive })
      expect(answer).toMatchObject({ ok: false, code: 'in_use' })
      expect(answer.message).toContain(`process ${process.pid} on ${hostname()} since 2023-11-14T22:13:20.000Z`)
      await store.close()
    },
  )

  it.each([{ exclusive: true }, { readOnly: true }, {}])(
    'keeps out another store of its process: %o',
    async (options) => {
      const path = ownPath()
      const store = await openSqliteStore({ path, exclusive: true })
      await expect(openSqliteStore({ path, ...options })).rejects.toMatchObject({
        code: 'in_use',
        message: expect.stringContaining(`process ${process.pid}`),
      })
      await store.scope('default').sessions.create({ title: 'Still at work' })
      await store.close()
    },
  )

  it('lets others in once it is closed, and leaves nothing behind', async () => {
    const path = ownPath()
    const store = await openSqliteStore({ path, exclusive: true })
    expect(existsSync(`${path}-holder`)).toBe(true)
    await store.close()
    expect(existsSync(`${path}-holder`)).toBe(false)
    const { answer } = await otherHost({ path, exclusive: true })
    expect(answer).toEqual({ ok: true })
  })

  it('lets others in once its process was killed, whatever note it left', async () => {
    const path = ownPath()
    const other = await otherHost({ path, exclusive: true })
    expect(other.answer).toEqual({ ok: true })
    other.process.kill('SIGKILL')
    expect(await other.ended).toBe('SIGKILL')
    expect(existsSync(`${path}-holder`)).toBe(true)
    for (const exclusive of [false, true]) await (await openSqliteStore({ path, exclusive })).close()
  })

  it('is not held up by a note that names a living process which holds nothing', async () => {
    const path = ownPath()
    const note = { pid: process.ppid, host: hostname(), since: new Date(0).toISOString() }
    writeFileSync(`${path}-holder`, JSON.stringify(note))
    await (await openSqliteStore({ path, exclusive: true })).close()
  })

  it('is refused while another process has the file open', async () => {
    const path = ownPath()
    const other = await otherHost({ path })
    expect(other.answer).toEqual({ ok: true })
    await expect(openSqliteStore({ path, exclusive: true, busyTimeoutMs: 100 })).rejects.toMatchObject({
      code: 'in_use',
    })
    other.process.send('close')
    expect(await other.ended).toBe(0)
    await (await openSqliteStore({ path, exclusive: true })).close()
  })

  it('is one of two when both ask at the same moment for a file that is not there yet', async () => {
    const path = ownPath()
    const options = { path, exclusive: true }
    const answers = await Promise.allSettled([openSqliteStore(options), openSqliteStore(options)])
    const opened = answers.filter(({ status }) => status === 'fulfilled')
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.code] : []))
    expect(opened).toHaveLength(1)
    expect(refused).toEqual(['in_use'])
    for (const answer of answers) if (answer.status === 'fulfilled') await answer.value.close()
  })

  it('cannot be one that only reads', async () => {
    const path = ownPath()
    await (await openSqliteStore({ path })).close()
    await expect(openSqliteStore({ path, exclusive: true, readOnly: true })).rejects.toMatchObject({ code: 'invalid' })
  })
})
