import type { Message, Scope } from '@holdfast/core'
import { expect, onTestFinished } from 'vitest'
import { appendPersistently, type Failures } from './persistence.js'
import { saying, textOf, threadOf } from './stores.js'

/** Writers that append to sessions all the time, and go on whatever happens to the server. */
export interface Writers {
  readonly failures: Failures
  /** How many messages were acknowledged so far. */
  readonly count: number
  stop(): Promise<void>
  /** Every acknowledged message is there as it was acknowledged, and nothing else; what was in doubt is there once. */
  expectAllStored(): Promise<void>
}

export function startWriters(scope: Scope, sessions: readonly { readonly id: string }[], perSession: number): Writers {
  const failures: Failures = new Map()
  const acknowledged = new Map<string, Message>()
  let enough = false

  async function write(session: string, writer: number): Promise<void> {
    for (let count = 0; !enough; count++) {
      // No two messages have the same text, so that one that is stored twice under two ids is found.
      const message = saying(`${session} ${writer} ${count}`)
      const stored = await appendPersistently(scope, session, message, failures)
      acknowledged.set(stored.id, stored)
    }
  }
  const ends = Promise.all(
    sessions.flatMap(({ id }) => Array.from({ length: perSession }, (_, writer) => write(id, writer))),
  )
  onTestFinished(() => {
    enough = true
  })
  // When the test has failed already, they may end because the store is closed.
  ends.catch(() => undefined)

  return {
    failures,
    get count() {
      return acknowledged.size
    },
    async stop() {
      enough = true
      await ends
    },
    async expectAllStored() {
      const stored = (await Promise.all(sessions.map(({ id }) => threadOf(scope, id)))).flat()
      expect(new Map(stored.map((message) => [message.id, message]))).toEqual(acknowledged)
      expect(new Set(stored.map(textOf)).size).toBe(stored.length)
    },
  }
}
