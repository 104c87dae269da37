// Runs the conformance suite on every backend, prints a matrix of behaviour groups and backends, and writes
// conformance/report.json. A failed behaviour, or a file that could not be run, fails the script.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The reference backend's file, and those of every package that has some. */
function testFiles() {
  const adapters = readdirSync(join(root, 'packages')).flatMap((name) => {
    const folder = join('packages', name, 'test')
    if (!existsSync(join(root, folder))) return []
    const files = readdirSync(join(root, folder)).filter((file) => /^conformance.*\.test\.ts$/.test(file))
    return files.map((file) => join(folder, file))
  })
  return ['conformance/test/memory.test.ts', ...adapters]
}

function runTests(files) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-conformance-'))
  const output = join(folder, 'results.json')
  try {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const { status } = spawnSync(
      process.execPath,
      [vitest, 'run', ...files, '--reporter=json', `--outputFile=${output}`],
      { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
    )
    if (!existsSync(output)) throw new Error('vitest wrote no results')
    return { passed: status === 0, results: JSON.parse(readFileSync(output, 'utf8')).testResults }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const none = () => ({ passed: 0, failed: 0, unsupported: 0 })

function outcomeOf(test) {
  if (test.status !== 'passed') return 'failed'
  return test.meta?.conformance?.unsupported ? 'unsupported' : 'passed'
}

function summarise(results) {
  const backends = {}
  const failures = []
  for (const file of results) {
    if (file.assertionResults.length === 0) failures.push({ name: file.name, message: file.message })
    for (const test of file.assertionResults) {
      const [backend, group] = test.ancestorTitles
      const outcome = outcomeOf(test)
      backends[backend] ??= { ...none(), groups: {} }
      backends[backend].groups[group] ??= none()
      backends[backend][outcome]++
      backends[backend].groups[group][outcome]++
      if (outcome === 'failed')
        failures.push({ name: `${backend} > ${group} > ${test.title}`, message: test.failureMessages[0] })
    }
  }
  return { backends, failures }
}

const signs = { passed: '✓', failed: '✗', unsupported: '–' }

/** The counts of one backend, each outcome in a column of its own where the backend has any. */
function cellsOf(backend, groups) {
  const rows = [...groups.map((group) => backend.groups[group] ?? none()), backend]
  const outcomes = Object.keys(signs).filter((outcome) => backend[outcome] > 0)
  return rows.map((counts) =>
    outcomes
      .map((outcome) => {
        const width = String(backend[outcome]).length
        return counts[outcome] > 0
          ? `${String(counts[outcome]).padStart(width)} ${signs[outcome]}`
          : ' '.repeat(width + 2)
      })
      .join('  '),
  )
}

function printMatrix(backends) {
  const groups = [...new Set(Object.values(backends).flatMap((backend) => Object.keys(backend.groups)))]
  const columns = [
    ['', ...groups, 'total'],
    ...Object.entries(backends).map(([name, backend]) => [name, ...cellsOf(backend, groups)]),
  ]
  const widths = columns.map((texts) => Math.max(...texts.map((text) => text.length)))
  const line = widths.map((width) => '─'.repeat(width)).join('───')
  for (let row = 0; row < groups.length + 2; row++) {
    if (row === 1 || row === groups.length + 1) console.log(line)
    console.log(
      columns
        .map((texts, column) => texts[row].padEnd(widths[column]))
        .join('   ')
        .trimEnd(),
    )
  }
  console.log('\n✓ passed   ✗ failed   – unsupported by the backend')
}

const { passed, results } = runTests(testFiles())
const { backends, failures } = summarise(results)
printMatrix(backends)
for (const { name, message } of failures) console.log(`\n✗ ${name}\n  ${message?.split('\n')[0] ?? ''}`)
writeFileSync(join(root, 'conformance/report.json'), `${JSON.stringify({ backends }, null, 2)}\n`)
if (!passed || failures.length > 0) process.exitCode = 1
