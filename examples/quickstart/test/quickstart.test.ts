import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const program = fileURLToPath(new URL('../quickstart.mjs', import.meta.url))
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-quickstart-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function run(): string {
  const env = { ...process.env, HOLDFAST_QUICKSTART: join(folder, 'quickstart.db'), NO_COLOR: '1' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { env, encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return stdout
}

describe('the quickstart', () => {
  it('shows a tool call, an edit and a fork as a tree, and the file it left', () => {
    const shown = run()
    expect(shown).toContain('⚙ weather {"city":"Oslo"} → {"sky":"clear","high":11}')
    expect(shown).toContain('├─ ○ 3 Where do we eat?')
    expect(shown).toContain('└─ ● 3 Where do we eat with two children?')
    expect(shown).toContain('─▶ session The same trip in winter')
    expect(shown).toContain('4 messages on the active path')
    expect(shown).toContain('integrity ok')
  })

  it('goes on where it stopped when it is run again', () => {
    run()
    const second = run()
    expect(second).toContain('Welcome back.')
    expect(second).toContain('6 messages on the active path')
    expect(run()).toContain('8 messages on the active path')
  })
})
