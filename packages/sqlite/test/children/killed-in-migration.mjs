// Opens a store with another history of migrations, and kills itself before the statement with the given number.
import { migrations } from '@holdfast/sql'
import { openSqliteStore } from '@holdfast/sqlite'
import Database from 'better-sqlite3'

const [path, number, history] = process.argv.slice(2)
migrations.splice(0, migrations.length, ...JSON.parse(history))

const { exec } = Database.prototype
let seen = 0
Database.prototype.exec = function (sql) {
  if (seen++ === Number(number)) process.kill(process.pid, 'SIGKILL')
  return exec.call(this, sql)
}

await (await openSqliteStore({ path })).close()
