import { randomBytes } from 'node:crypto'
import { createDatabase, dropDatabase } from './databases.js'
import type { PostgresVersion } from './programs.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where test files ask for the URL of a server. */
    readonly postgresServers: string
  }
}

/** An empty database on the server that all test files share. */
export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** To be called in a test file. A server that cannot be had is an error here. */
export async function postgresDatabase(version: PostgresVersion): Promise<TestDatabase> {
  // Only here, because scripts use this package without vitest.
  const { inject } = await import('vitest')
  const response = await fetch(`${inject('postgresServers')}/${version}`)
  const answer = await response.text()
  if (!response.ok) throw new Error(answer)
  return databaseOn(answer)
}

/** An empty database with a name of its own on any server. */
export async function databaseOn(serverUrl: string): Promise<TestDatabase> {
  const name = `holdfast_test_${randomBytes(8).toString('hex')}`
  await createDatabase(serverUrl, name)
  const url = new URL(serverUrl)
  url.pathname = name
  return { url: url.href, drop: () => dropDatabase(serverUrl, name) }
}
