// Uses a file with this package, and with a second copy of it and of the driver that is installed in another folder.
import { openSqliteStore } from '@holdfast/sqlite'

const [path, secondCopy] = process.argv.slice(2)
const second = await import(secondCopy)

const store = await openSqliteStore({ path })
const { sessions } = store.scope('default')
await sessions.create({ title: 'before' })
const refusal = await attempt(second)
await sessions.create({ title: 'after' })
process.send({ refusal, beside: await attempt({ openSqliteStore }) })

process.once('message', async () => {
  await store.close()
  process.send(await attempt(second))
  process.disconnect()
})

async function attempt({ openSqliteStore }) {
  try {
    await (await openSqliteStore({ path })).close()
    return 'opened'
  } catch ({ code, message }) {
    return { code, message }
  }
}
