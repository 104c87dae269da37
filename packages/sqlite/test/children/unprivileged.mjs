// Uses a store with the rights of this process: opens it, lists sessions, creates one, and says how each went.
import { openSqliteStore } from '@holdfast/sqlite'

const answers = {}
let store
await attempt('open', async () => {
  store = await openSqliteStore(JSON.parse(process.argv[2]))
})
if (store) {
  const { sessions } = store.scope('default')
  await attempt('list', async () => (await sessions.list()).items.map(({ title }) => title))
  await attempt('create', async () => (await sessions.create({ title: 'New' })).title)
  await attempt('close', () => store.close())
}
process.send(answers)

async function attempt(name, work) {
  try {
    answers[name] = (await work()) ?? 'done'
  } catch (error) {
    answers[name] = error.code
  }
}
