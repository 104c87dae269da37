import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSqliteStore } from '@holdfast/sqlite'

// Each measurement runs in a process of its own and reports megabytes above the baseline of that process. The driver does
// not yield while it works, so a peak inside of one call cannot be sampled: for the part of 10 MB the heap is capped at
// its baseline of about 20 MB and three times the part, and a process that needs more does not survive. The long thread
// is read by a process that did not write it: a heap that has grown before hides what reading needs.

const megabyte = 1024 * 1024
const goals: Readonly<Record<string, number>> = { paging: 50, 'part-write': 30, 'part-read': 30, scopes: 20 }

function fileOf(folder: string, name: string): string {
  return join(folder, `${name}.db`)
}

const [, , only, folder = ''] = process.argv
if (only === undefined) await inFolder(runAll)
else await measure(only, folder)

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const made = mkdtempSync(join(tmpdir(), 'holdfast-memory-'))
  try {
    await run(made)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

async function runAll(folder: string): Promise<void> {
  await writeLongThread(folder)
  let reached = true
  for (const [name, goal] of Object.entries(goals)) {
    const child = spawnSync(
      process.execPath,
      [...process.execArgv, '--expose-gc', ...capOf(name), fileURLToPath(import.meta.url), name, folder],
      { encoding: 'utf8' },
    )
    const peak = Number(child.stdout.trim())
    reached &&= child.status === 0 && peak < goal
    console.log(`${name.padEnd(12)} ${peak.toFixed(1).padStart(6)} MB, goal below ${goal} MB ${child.stderr}`)
  }
  process.exitCode = reached ? 0 : 1
}

function capOf(name: string): readonly string[] {
  return name.startsWith('part-') ? ['--max-old-space-size=50'] : []
}

async function writeLongThread(folder: string): Promise<void> {
  const store = await openSqliteStore({ path: fileOf(folder, 'paging') })
  const scope = store.scope('bench')
  await scope.sessions.create({ id: 'long' })
  const lot = Array.from({ length: 10_000 }, (_, index) => ({
    role: 'user',
    parts: [{ type: 'text', text: `message ${index}` }],
  }))
  for (let done = 0; done < 1_000_000; done += lot.length) await scope.messages.appendAll('long', lot)
  await store.close()
}

async function measure(name: string, folder: string): Promise<void> {
  const store = await openSqliteStore({ path: fileOf(folder, name) })
  const scope = store.scope('bench')
  if (name === 'paging') {
    const peak = peakAbove()
    let cursor: string | null | undefined
    while (cursor !== null) {
      const page = await scope.messages.list('long', { limit: 1000, ...(cursor !== undefined && { before: cursor }) })
      cursor = page.before
      peak.look()
    }
    console.log(peak.megabytes())
  } else if (name === 'scopes') {
    const peak = peakAbove()
    const handles = Array.from({ length: 10_000 }, (_, index) => store.scope(`tenant-${index}`))
    for (const handle of handles) await handle.sessions.count()
    globalThis.gc?.()
    peak.look()
    console.log(peak.megabytes(), handles.length === 10_000 ? '' : 'lost')
  } else {
    const session = await scope.sessions.create()
    // Flat from the start: a repeated string is laid out only when it is first read.
    const text = Buffer.alloc(10 * megabyte, 'x').toString('latin1')
    const append = () => scope.messages.append(session.id, { role: 'user', parts: [{ type: 'text', text }] })
    if (name === 'part-read') await append()
    const peak = peakAbove()
    const watch = setInterval(peak.look, 0)
    if (name === 'part-write') await append()
    else await scope.messages.list(session.id)
    peak.look()
    clearInterval(watch)
    console.log(peak.megabytes())
  }
  await store.close()
}

/** What the heap and what belongs to it hold above what they held at the start, at the most. */
function peakAbove() {
  const used = () => {
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  globalThis.gc?.()
  const baseline = used()
  let peak = baseline
  return {
    look: () => {
      peak = Math.max(peak, used())
    },
    megabytes: () => ((peak - baseline) / megabyte).toFixed(1),
  }
}
