// Holds the write lock of a database from the start until told to let go.
import Database from 'better-sqlite3'

const db = new Database(process.argv[2])
db.exec('begin immediate')
process.send('held')
process.once('message', () => {
  db.exec('commit')
  db.close()
  process.disconnect()
})
