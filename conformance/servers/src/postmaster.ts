import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { childrenOf, isRunning, isStopped, signal } from './processes.js'
import type { ServerFolder } from './server-folder.js'
import { until } from './until.js'

/** The first process of a running server, and those that it has started. */
export interface Postmaster {
  readonly pid: number
  /** Stops all processes until they proceed. */
  halt(): Promise<void>
  proceed(): void
  /** Also when it is halted. Does nothing when it has ended already. */
  end(by: 'SIGKILL' | 'SIGINT' | 'SIGQUIT'): Promise<void>
}

/** Starts the server of a folder, and waits until it accepts connections. */
export async function startPostmaster(folder: ServerFolder): Promise<Postmaster> {
  const server = folder.run('postgres', '-D', folder.data)
  const { pid } = server
  await until(() => hasEnded(server) || isReady(folder, pid), 'Postgres accepted connections')
  if (hasEnded(server) || pid === undefined) throw folder.failure('Postgres did not start')

  /** A postmaster that is halted starts no more processes, so that none is missed. */
  const haltFirst = async () => {
    signal(pid, 'SIGSTOP')
    await until(() => isStopped(pid) || !isRunning(pid), 'Postgres was halted')
    return childrenOf(pid)
  }

  const proceed = () => {
    for (const each of [...childrenOf(pid), pid]) signal(each, 'SIGCONT')
  }

  return {
    pid,
    proceed,
    halt: async () => {
      for (const child of await haltFirst()) signal(child, 'SIGSTOP')
    },
    end: async (by) => {
      if (hasEnded(server)) return
      const children = by === 'SIGKILL' ? await haltFirst() : childrenOf(pid)
      signal(pid, by)
      if (by === 'SIGKILL') for (const child of children) signal(child, by)
      else proceed()
      await until(() => hasEnded(server) && !children.some(isRunning), `Postgres was ended by ${by}`)
      folder.nothingRuns()
    },
  }
}

/** Whether a program has ended, or could not be run at all. */
export function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null
}

/** Postgres keeps its state in the eighth line of this file. A killed server leaves the file behind. */
function isReady(folder: ServerFolder, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(join(folder.data, 'postmaster.pid'), 'utf8').split('\n')
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
  } catch {
    return false
  }
}
