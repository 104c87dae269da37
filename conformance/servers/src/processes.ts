import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

interface Process {
  readonly pid: number
  readonly parent: number
  /** The letter of the operating system: T is stopped, Z has ended and nobody has asked how. */
  readonly state: string
}

export function isRunning(pid: number): boolean {
  return find(pid).some(({ state }) => state !== 'Z')
}

export function isStopped(pid: number): boolean {
  return find(pid).some(({ state }) => state === 'T')
}

export function childrenOf(pid: number): number[] {
  const all = onLinux ? readdirSync('/proc').flatMap((name) => fromProc(Number(name))) : fromPs('-A')
  return all.filter(({ parent, state }) => parent === pid && state !== 'Z').map((child) => child.pid)
}

/** Sends a signal, also to a process that may have ended by now. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (isRunning(pid)) throw error
  }
}

// Small images have no `ps`, and other systems have no `/proc`.
const onLinux = process.platform === 'linux'

/** The process, if there is one. */
function find(pid: number): Process[] {
  return onLinux ? fromProc(pid) : fromPs('-p', String(pid))
}

function fromProc(pid: number): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Before it stands the name of the program in brackets, which may hold anything.
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return [{ pid, parent: Number(parent), state }]
  } catch {
    return []
  }
}

function fromPs(...which: string[]): Process[] {
  try {
    const lines = execFileSync('ps', ['-o', 'pid=,ppid=,stat=', ...which], { encoding: 'utf8' })
      .trim()
      .split('\n')
    return lines.map((line) => {
      const [pid, parent, state = ''] = line.trim().split(/\s+/)
      return { pid: Number(pid), parent: Number(parent), state: state.slice(0, 1) }
    })
  } catch {
    // Its answer when it finds none.
    return []
  }
}
