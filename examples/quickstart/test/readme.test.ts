import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')

describe('the README', () => {
  it('shows a program that runs as it stands', () => {
    const program = readme.match(/```ts\n(import \{ openSqliteStore[\s\S]*?)```/)?.[1]
    // Inside of the example, so that it finds the packages as a host of its own would.
    const folder = mkdtempSync(join(root, 'examples/quickstart', '.readme-'))
    try {
      writeFileSync(join(folder, 'program.mjs'), program ?? '')
      const { status, stdout, stderr } = spawnSync(process.execPath, ['program.mjs'], { cwd: folder, encoding: 'utf8' })
      expect(stderr).toBe('')
      expect(stdout).toBe('1 user\n2 messages\n')
      expect(status).toBe(0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('shows a harness with which the suite runs as it stands', () => {
    const harness = readme.match(/```ts\n(import type \{ Harness[\s\S]*?)```/)?.[1]
    const suite = readme.match(/```ts\n(import \{ describeConformance[\s\S]*?)```/)?.[1]
    const folder = mkdtempSync(join(root, 'examples/quickstart', '.readme-'))
    try {
      writeFileSync(join(folder, 'harness.ts'), harness ?? '')
      writeFileSync(join(folder, 'conformance.test.ts'), suite ?? '')
      // An own configuration, so that the one of this repository does not count.
      writeFileSync(join(folder, 'vitest.config.mjs'), 'export default {}')
      const vitest = join(root, 'node_modules/vitest/vitest.mjs')
      // One group is enough to see that it runs; memory.test.ts runs all of them with the same harness.
      const { status, stdout } = spawnSync(
        process.execPath,
        [vitest, 'run', '--root', folder, '--reporter', 'json', '-t', 'my backend tags'],
        { encoding: 'utf8', env: { PATH: process.env.PATH } },
      )
      const { numPassedTests, numFailedTests } = JSON.parse(stdout)
      expect(numPassedTests).toBeGreaterThan(3)
      expect(numFailedTests).toBe(0)
      expect(status).toBe(0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('has the table of backends that the stores themselves write', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', join(root, 'scripts/readme.mjs'), '--check'],
      {
        cwd: root,
        encoding: 'utf8',
      },
    )
    expect(stderr).toBe('')
    expect(status).toBe(0)
  })
})
