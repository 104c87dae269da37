// Writes the README's table of backends from the stores themselves. `--check` only says whether it is current.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMemoryStore } from '@holdfast/core/memory'
import { openPostgresStore } from '@holdfast/postgres'
import { startPostgres } from '@holdfast/servers'
import { openSqliteStore } from '@holdfast/sqlite'

const begin = '<!-- backends:begin -->'
const end = '<!-- backends:end -->'
const readme = new URL('../README.md', import.meta.url)

const folder = mkdtempSync(join(tmpdir(), 'holdfast-readme-'))
const server = await startPostgres({ version: 18 })

/** Row-level security does not hold for a superuser, so this store has a role of its own. */
async function openGuardedStore() {
  await server.run(`create role host login password 'host'; create schema guarded authorization host`)
  const connectionString = server.url('postgres', { user: 'host', password: 'host' })
  return openPostgresStore({ connectionString, schema: 'guarded', rowLevelSecurity: true })
}

const backends = [
  { name: 'memory', from: '`@holdfast/core/memory`', open: () => openMemoryStore() },
  { name: 'SQLite file', from: '`@holdfast/sqlite`', open: () => openSqliteStore({ path: join(folder, 'readme.db') }) },
  { name: 'SQLite `:memory:`', from: '`@holdfast/sqlite`', open: () => openSqliteStore({ path: ':memory:' }) },
  {
    name: 'Postgres',
    from: '`@holdfast/postgres`',
    open: () => openPostgresStore({ connectionString: server.url() }),
  },
  { name: 'Postgres, `rowLevelSecurity`', from: '`@holdfast/postgres`', open: openGuardedStore },
]
const rows = [
  ['from', ({ from }) => from],
  ['survives the process', (_, { durable }) => (durable ? 'yes' : 'no')],
  [
    'shared with',
    (_, { sharing }) =>
      ({
        none: 'nobody',
        process: 'stores of the process',
        machine: 'processes of the machine',
        network: 'the network',
      })[sharing],
  ],
  ['can lock others out', (_, { exclusiveLock }) => (exclusiveLock ? 'yes' : 'no')],
  ['database keeps scopes apart', (_, { rowLevelSecurity }) => (rowLevelSecurity ? 'yes' : 'no')],
  ['largest part', (_, { limits }) => `${limits.partBytes / 2 ** 20} MiB`],
]

const capabilities = []
for (const backend of backends) {
  const store = await backend.open()
  capabilities.push(store.capabilities)
  await store.close()
}
await server.stop()
rmSync(folder, { recursive: true, force: true })

const line = (cells) => `| ${cells.join(' | ')} |`
const table = [
  line(['', ...backends.map(({ name }) => name)]),
  line(['---', ...backends.map(() => '---')]),
  ...rows.map(([title, cell]) =>
    line([title, ...backends.map((backend, index) => cell(backend, capabilities[index]))]),
  ),
].join('\n')

const text = readFileSync(readme, 'utf8')
const written = `${text.slice(0, text.indexOf(begin) + begin.length)}\n${table}\n${text.slice(text.indexOf(end))}`
if (process.argv.includes('--check')) {
  if (written !== text) {
    console.error('The table of backends in README.md is not current: run npm run readme.')
    process.exitCode = 1
  }
} else writeFileSync(readme, written)
