// Opens a store when told to, says how that went, and keeps it open until told to close.
import { openSqliteStore } from '@holdfast/sqlite'

const options = JSON.parse(process.argv[2])
process.send({ ready: true })
process.on('message', async (order) => {
  if (order === 'open') process.send(await attempt(open))
  if (order === 'close') {
    await store.close()
    process.disconnect()
  }
})

let store

async function open() {
  store = await openSqliteStore(options)
  return {}
}

async function attempt(work) {
  try {
    return { ok: true, ...(await work()) }
  } catch (error) {
    return { ok: false, code: error.code, message: error.message }
  }
}
