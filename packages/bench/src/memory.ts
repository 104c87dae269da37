import { strict as assert } from 'node:assert'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSqliteStore } from '@holdfast/sqlite'

// Each measurement runs in a process of its own and reports megabytes above the baseline of that process. The driver does
// not yield while it works, so a peak inside of one call cannot be sampled: for the part of 10 MB the heap is capped at
// its baseline and three times the part, and a process that needs more does not survive. The long thread is read by a
// process that did not write it: a heap that has grown before hides what reading needs.
//
// A part has 10 MB of UTF-8, but what it takes in memory is up to the engine of JavaScript: a byte for a character while
// all of them are Latin-1, two as soon as one is not. That is the size of which the goal is three times: one emoji makes
// 20 MB of ten million letters, and neither the JSON that is written nor what is parsed of it when read can be smaller.

const megabyte = 1024 * 1024

interface Text {
  readonly first: string
  readonly unit: string
  readonly bytesInMemory: 1 | 2
}

const texts: Readonly<Record<string, Text>> = {
  latin: { first: '', unit: 'x', bytesInMemory: 1 },
  emoji: { first: '😀', unit: 'x', bytesInMemory: 2 },
  cjk: { first: '', unit: '漢', bytesInMemory: 2 },
}

interface Goal {
  readonly megabytes: number
  /** All that the heap of the process may hold. */
  readonly cap?: number
}

const goals: Readonly<Record<string, Goal>> = {
  paging: { megabytes: 50 },
  ...Object.fromEntries(
    Object.entries(texts).flatMap(([kind, text]) => {
      const size = (unitsOf(text) * text.bytesInMemory) / megabyte
      const goal = { megabytes: 3 * size, cap: Math.ceil(10 + 4 * size) }
      return [
        [`part-write-${kind}`, goal],
        [`part-read-${kind}`, goal],
      ]
    }),
  ),
  scopes: { megabytes: 20 },
}

/** How often the unit makes 10 MB of UTF-8. */
function unitsOf({ first, unit }: Text): number {
  return Math.floor((10 * megabyte - Buffer.byteLength(first)) / Buffer.byteLength(unit))
}

/** Flat from the start: a repeated string is laid out only when it is first read. */
function flat(text: Text): string {
  return Buffer.from(text.first + text.unit.repeat(unitsOf(text))).toString('utf8')
}

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
  for (const [name, { megabytes, cap }] of Object.entries(goals)) {
    const capped = cap === undefined ? [] : [`--max-old-space-size=${cap}`]
    const child = spawnSync(
      process.execPath,
      [...process.execArgv, '--expose-gc', ...capped, fileURLToPath(import.meta.url), name, folder],
      { encoding: 'utf8' },
    )
    const peak = child.status === 0 ? Number(child.stdout.trim()) : Number.POSITIVE_INFINITY
    reached &&= peak < megabytes
    const verdict = peak < megabytes ? '' : '  above the goal'
    console.log(
      `${name.padEnd(16)} ${peak.toFixed(1).padStart(8)} MB, goal below ${megabytes.toFixed(0)} MB${verdict} ${child.stderr}`,
    )
  }
  process.exitCode = reached ? 0 : 1
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
    const [, way, kind = ''] = name.split('-')
    const text = flat(texts[kind] ?? assert.fail(`There is no text ${kind}.`))
    const append = () => scope.messages.append(session.id, { role: 'user', parts: [{ type: 'text', text }] })
    if (way === 'read') await append()
    await cleared()
    const peak = peakAbove()
    const watch = setInterval(peak.look, 0)
    if (way === 'write') await append()
    else await scope.messages.list(session.id)
    peak.look()
    clearInterval(watch)
    console.log(peak.megabytes())
  }
  await store.close()
}

/** Memory outside of the heap is let go of some time after what held it. */
async function cleared(): Promise<void> {
  for (let time = 0; time < 5; time++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
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
