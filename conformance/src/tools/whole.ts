import type { Event, Message, Scope } from '@holdfast/core'
import { expect } from 'vitest'
import { collect } from './content.js'

/** The whole path of a branch, or of the active one, which must have no gap. */
export async function wholePath(scope: Scope, session: string, branch?: string): Promise<readonly Message[]> {
  const messages = await collect(scope.messages.iterate(session, branch === undefined ? {} : { branch }))
  expect(messages.map(({ position }) => position)).toEqual(messages.map((_, index) => index + 1))
  return messages
}

/** The whole journal of a session, which must have no gap. */
export async function wholeJournal(scope: Scope, session: string): Promise<readonly Event[]> {
  const entries: Event[] = []
  for (let page: readonly Event[] | undefined; page?.length !== 0; entries.push(...page))
    page = await scope.events.list(session, { after: entries.length, limit: 1000 })
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))
  return entries
}
