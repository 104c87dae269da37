import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { childrenOf, isRunning } from '../src/processes.js'
import { until } from '../src/until.js'

/** A process that starts a server in a folder of its own and never stops it. */
function abandon(what: 'wait' | 'halt' | 'end'): { parent: ChildProcess; folder: string; output: Promise<string> } {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-abandoned-'))
  // The account that the server runs under has to get in.
  chmodSync(folder, 0o755)
  const script = fileURLToPath(new URL('./support/abandon-server.ts', import.meta.url))
  const parent = spawn(process.execPath, ['--import', 'tsx', script, what], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    parent.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })
  return { parent, folder, output: once(parent.stdout, 'data').then(String) }
}

/** Whether the folder of the server holds this. */
function serverHas(folder: string, path: string): boolean {
  return readdirSync(folder).some(
    (name) => name.startsWith('holdfast-postgres-') && existsSync(join(folder, name, path)),
  )
}

/** All processes below one, which do not end just because that one ends. */
function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)])
}

/** The blocks of shared memory that these processes have made, which the system keeps until somebody removes them. */
function sharedMemoryOf(processes: readonly number[]): string[] {
  if (process.platform !== 'linux') return []
  const blocks = readFileSync('/proc/sysvipc/shm', 'utf8').trim().split('\n').slice(1)
  return blocks.filter((block) => processes.includes(Number(block.trim().split(/\s+/)[4])))
}

async function nothingIsLeft(processes: readonly number[], folder: string): Promise<void> {
  await until(() => !processes.some(isRunning), 'all processes had ended')
  await until(() => !serverHas(folder, '.'), 'the folder of the server was removed')
  expect(sharedMemoryOf(processes)).toEqual([])
}

describe('a process that started a server', () => {
  it.each(['wait', 'halt'] as const)('and is killed leaves nothing: %s', async (what) => {
    const { parent, folder, output } = abandon(what)
    const pid = Number(await output)
    const processes = descendantsOf(parent.pid ?? 0)
    expect(processes).toEqual(expect.arrayContaining([pid, ...childrenOf(pid)]))
    if (process.platform === 'linux') expect(sharedMemoryOf(processes)).toHaveLength(1)
    parent.kill('SIGKILL')
    await nothingIsLeft(processes, folder)
  })

  it('and ends without stopping it leaves nothing', async () => {
    const { parent, folder, output } = abandon('end')
    const pid = Number(await output)
    const [code] = await once(parent, 'exit')
    expect(code).toBe(0)
    await nothingIsLeft([pid], folder)
  })

  it('and is killed while the server is being made leaves nothing', async () => {
    const { parent, folder } = abandon('wait')
    await until(() => serverHas(folder, 'data/global/pg_control'), 'initdb was at work')
    const processes = descendantsOf(parent.pid ?? 0)
    parent.kill('SIGKILL')
    await nothingIsLeft(processes, folder)
  })
})
