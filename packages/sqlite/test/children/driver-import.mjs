// Says whether the driver is loaded before and after a store is opened.
import { createRequire } from 'node:module'
import { openSqliteStore } from '@holdfast/sqlite'

const { cache } = createRequire(import.meta.url)
const isLoaded = () => Object.keys(cache).some((path) => path.includes('better-sqlite3'))

const before = isLoaded()
const store = await openSqliteStore({ path: process.argv[2] })
process.send({ before, after: isLoaded() })
await store.close()
