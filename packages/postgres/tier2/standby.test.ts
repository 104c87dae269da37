import { isHoldfastError } from '@holdfast/core'
import { openPostgresStore } from '@holdfast/postgres'
import { startReplicated } from '@holdfast/servers'
import { expect, it } from 'vitest'

it('loses nothing that was acknowledged when the primary dies and its synchronous standby takes over', async () => {
  const { primary, standby } = await startReplicated()
  const store = await openPostgresStore({ connectionString: primary.url, statementTimeoutMs: 5_000 })
  const { id } = await store.scope('w').sessions.create()
  const acknowledged: string[] = []
  let killed = false
  const writer = async () => {
    while (!killed) {
      try {
        const message = await store
          .scope('w')
          .messages.append(id, { role: 'user', parts: [{ type: 'text', text: '.' }] })
        acknowledged.push(message.id)
      } catch (error) {
        if (!isHoldfastError(error) || !error.retryable) throw error
      }
    }
  }
  const writers = Array.from({ length: 6 }, writer)

  // What the standby does before it takes over: it reads, and says why it does not write.
  await expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(200)
  const reader = await openPostgresStore({ connectionString: standby.url, migrate: false })
  expect((await reader.scope('w').messages.list(id, { limit: 1 })).items).toHaveLength(1)
  await expect(reader.scope('w').sessions.touch(id)).rejects.toMatchObject({ code: 'read_only' })

  await expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(1000)
  await primary.kill()
  killed = true
  await Promise.all(writers)
  await standby.promote()

  const found: string[] = []
  for await (const message of reader.scope('w').messages.iterate(id)) found.push(message.id)
  const there = new Set(found)
  expect(acknowledged.filter((message) => !there.has(message))).toEqual([])
  expect(there.size).toBe(found.length)
  expect(await reader.admin.integrity()).toEqual({ ok: true, problems: [] })
  await reader.scope('w').messages.append(id, { role: 'user', parts: [{ type: 'text', text: 'after' }] })
  await reader.close()
  await store.close()
  await primary.stop()
  await standby.stop()
})
