import { Client } from 'pg'
import { onTestFinished } from 'vitest'

/** A connection that is closed after the test, and may break before. */
export async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  onTestFinished(() => client.end())
  await client.connect()
  return client
}
