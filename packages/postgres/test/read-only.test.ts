import { openPostgresStore } from '@holdfast/postgres'
import { describe, expect, it } from 'vitest'
import { as, newName, run } from './support/places.js'
import { ownDatabase } from './support/servers.js'
import { codeOf, openStore, saying, textOf } from './support/stores.js'

/** A database, and the URL of a role that may do all in it and yet writes nothing: its transactions only read. */
async function databaseWithReader() {
  const url = await ownDatabase()
  const reader = newName('reader')
  await run(
    url,
    `create role ${reader} login superuser password '${reader}'; alter role ${reader} set default_transaction_read_only = on`,
  )
  return { url, readerUrl: as(url, reader) }
}

describe('a server that only reads', () => {
  it('answers reads, and refuses every write with read_only, also those that are committed together', async () => {
    const { url, readerUrl } = await databaseWithReader()
    const writing = (await openStore({ connectionString: url })).scope('read')
    const session = await writing.sessions.create({ title: 'Oslo' })
    await writing.messages.append(session.id, saying('before'))

    const scope = (await openStore({ connectionString: readerUrl })).scope('read')
    expect((await scope.sessions.load(session.id)).messages.items.map(textOf)).toEqual(['before'])
    const writes = [
      scope.sessions.create(),
      scope.sessions.update(session.id, { title: 'Bergen' }),
      scope.sessions.delete(session.id),
      ...['one', 'two', 'three', 'four', 'five'].map((text) => scope.messages.append(session.id, saying(text))),
    ].map(codeOf)
    expect(await Promise.all(writes)).toEqual(writes.map(() => 'read_only'))
    expect((await scope.sessions.load(session.id)).messages.items.map(textOf)).toEqual(['before'])
    expect((await scope.sessions.list()).items).toMatchObject([{ id: session.id, title: 'Oslo' }])

    await writing.messages.append(session.id, saying('after'))
    expect((await scope.messages.list(session.id)).items.map(textOf)).toEqual(['before', 'after'])
  })

  it('is read_only at open when the tables would have to be made', async () => {
    const { readerUrl } = await databaseWithReader()
    await expect(openPostgresStore({ connectionString: readerUrl })).rejects.toMatchObject({
      code: 'read_only',
      entity: 'store',
    })
  })
})
