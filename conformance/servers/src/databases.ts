import { Client, escapeIdentifier } from 'pg'

export async function createDatabase(serverUrl: string, name: string): Promise<void> {
  await execute(serverUrl, `create database ${escapeIdentifier(name)}`)
}

/** Also when somebody is connected to it. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await execute(serverUrl, `drop database ${escapeIdentifier(name)} with (force)`)
}

export async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
