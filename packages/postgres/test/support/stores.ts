import { isHoldfastError, type Message, type Scope, type Store } from '@holdfast/core'
import { openPostgresStore, type PostgresStore, type PostgresStoreOptions } from '@holdfast/postgres'
import { expect, onTestFinished } from 'vitest'

/** A store that is closed after the test. */
export async function openStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const store = await openPostgresStore(options)
  onTestFinished(() => store.close())
  return store
}

/** A message whose text no other message of the test has. */
export function saying(text: string) {
  return { role: 'user', parts: [{ type: 'text', text }] }
}

export function textOf({ parts }: Message): unknown {
  return parts[0]?.text
}

/** What a session shows from its first message on. Its positions must have no gap. */
export async function threadOf(scope: Scope, session: string): Promise<readonly Message[]> {
  const messages: Message[] = []
  for await (const message of scope.messages.iterate(session)) messages.push(message)
  expect(messages.map(({ position }) => position)).toEqual(messages.map((_, index) => index + 1))
  return messages
}

export async function expectWhole(store: Store): Promise<void> {
  expect(await store.admin.integrity()).toEqual({ ok: true, problems: [] })
}

/** The code of the error that a call must fail with, and nothing but an error of the library. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!isHoldfastError(error)) throw new Error('The call did not fail with an error of the library.', { cause: error })
  return error.code
}
