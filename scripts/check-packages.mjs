// Checks what would be published: publint and attw over each public package, then knip over the repository.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folders = ['packages/core', 'packages/sql', 'packages/sqlite', 'conformance']

const bin = (pkg, name) => {
  const folder = join(root, 'node_modules', pkg)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : bin[name])
}

const failed = []
const run = (label, file, args) => {
  console.log(`\n> ${label}`)
  const { status } = spawnSync(process.execPath, [file, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) failed.push(label)
}

for (const folder of folders) {
  run(`publint ${folder}`, bin('publint', 'publint'), [folder, '--strict', '--pack', 'npm'])
  run(`attw ${folder}`, bin('@arethetypeswrong/cli', 'attw'), ['--profile', 'esm-only', '--pack', folder])
}
run('knip', bin('knip', 'knip'), [])

if (failed.length > 0) {
  console.error(`\ncheck:packages failed: ${failed.join(', ')}`)
  process.exitCode = 1
}
