// Tests that need programs which npm does not have: PgBouncer, and a Postgres that can be copied while it runs. They are
// installed where that is possible; what did not run is said at the end.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { values: options } = parseArgs({ options: { 'if-present': { type: 'boolean', default: false } } })

const needs = [
  {
    program: '/usr/sbin/pgbouncer',
    package: 'pgbouncer',
    files: ['packages/postgres/tier2/pooler.test.ts', 'packages/postgres/tier2/tenants.test.ts'],
  },
  {
    program: '/usr/lib/postgresql/15/bin/pg_basebackup',
    package: 'postgresql-15',
    files: ['packages/postgres/tier2/standby.test.ts'],
  },
]

const isMissing = ({ program }) => !existsSync(program)

function install(packages) {
  const apt = (...args) => spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
  console.log(`Installing ${packages.join(', ')}.`)
  apt('update', '-qq')
  apt('install', '-y', '-qq', '--no-install-recommends', ...packages)
}

const missing = needs.filter(isMissing)
if (missing.length > 0 && !options['if-present'] && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
  install(missing.map((need) => need.package))
}

const files = needs.filter((need) => !isMissing(need)).flatMap((need) => need.files)
let status = 0
if (files.length > 0) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const run = spawnSync(process.execPath, [vitest, 'run', '--config', 'vitest.tier2.config.ts', ...files], {
    cwd: root,
    stdio: 'inherit',
  })
  status = run.status ?? 1
}
for (const need of needs.filter(isMissing)) {
  console.log(`Did not run, because ${need.program} is missing (package ${need.package}): ${need.files.join(', ')}`)
  if (!options['if-present']) status = 1
}
process.exitCode = status
