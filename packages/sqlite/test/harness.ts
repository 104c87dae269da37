import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Harness, Place } from '@holdfast/conformance'
import { openSqliteStore } from '@holdfast/sqlite'

function placeIn(folder: string): Place {
  return {
    token: folder,
    open: (options) => openSqliteStore({ ...options, path: join(folder, 'sessions.db') }),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A file in a folder of its own. */
export const harness: Harness = {
  name: 'sqlite',
  module: import.meta.url,
  place: async () => placeIn(await mkdtemp(join(tmpdir(), 'holdfast-'))),
  placeOf: placeIn,
}

/** A database that lives as long as its store. */
export const memoryHarness: Harness = {
  name: 'sqlite :memory:',
  place: async () => ({
    token: ':memory:',
    open: (options) => openSqliteStore({ ...options, path: ':memory:' }),
    remove: async () => undefined,
  }),
}
