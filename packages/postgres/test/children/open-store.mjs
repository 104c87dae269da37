// Opens a store when told to, says how that went, and closes it when told to.
import { openPostgresStore } from '@holdfast/postgres'

const options = JSON.parse(process.argv[2])
let store
process.on('message', async (order) => {
  if (order === 'open') process.send(await open())
  if (order === 'close') {
    await store?.close()
    process.disconnect()
  }
})
process.send('ready')

async function open() {
  try {
    store = await openPostgresStore(options)
    return 'opened'
  } catch (error) {
    return `${error.code}: ${error.message}`
  }
}
