import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, chownSync, closeSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accountForServers } from './account.js'
import { reachablePrograms } from './programs.js'
import { startWatchdog } from './watchdog.js'

/** The folder of one server. It is gone, and what runs in it too, as soon as this process has ended. */
export interface ServerFolder {
  readonly path: string
  readonly data: string
  /** Writes a file that only the server may read. */
  write(name: string, text: string): string
  /** Runs a program as the server's account, in the background. One runs at a time. */
  run(program: string, ...args: string[]): ChildProcess
  /** To be called when the program has ended and another one does not follow at once. */
  nothingRuns(): void
  /** An error with the end of what the programs printed. */
  failure(what: string): Error
  remove(): Promise<void>
}

/** Makes a folder for a server whose programs are at the given place. */
export function makeServerFolder(installed: string): ServerFolder {
  const account = accountForServers()
  const path = mkdtempSync(join(tmpdir(), 'holdfast-postgres-'))
  const watchdog = startWatchdog(path)
  const log = join(path, 'log')
  const handOver = (file: string) => account !== undefined && chownSync(file, account.uid, account.gid)
  handOver(path)
  const programs = account === undefined ? installed : reachablePrograms(installed, path)

  return {
    path,
    data: join(path, 'data'),
    write: (name, text) => {
      const file = join(path, name)
      writeFileSync(file, text, { mode: 0o600 })
      handOver(file)
      return file
    },
    run: (program, ...args) => {
      const output = openSync(log, 'a')
      const child = spawn(join(programs, 'bin', program), args, {
        ...account,
        cwd: path,
        // Nothing else of the caller's surroundings, where PGDATA or PGPORT may be set for another server.
        env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
        // A group of its own, which the watchdog can end and an interrupt from the terminal does not reach.
        detached: true,
        stdio: ['ignore', output, output],
      })
      watchdog.watch(child.pid)
      closeSync(output)
      child.on('error', (error) => appendFileSync(log, `${error}\n`))
      child.unref()
      return child
    },
    nothingRuns: () => watchdog.watch(undefined),
    failure: (what) => new Error(`${what}. The end of its log:\n${readFileSync(log, 'utf8').slice(-4000)}`),
    remove: () => watchdog.letGo(),
  }
}
