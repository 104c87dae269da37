import { HoldfastError } from '@holdfast/core'
import { wrapped } from './classify.js'
import type { Connection } from './connection.js'
import { type Checkpoint, type CheckpointMode, checkpointModes } from './options.js'

export async function checkpoint(
  { ask }: Connection,
  mode: CheckpointMode,
  store: { readonly closed: boolean; readonly readOnly: boolean },
): Promise<Checkpoint> {
  if (store.closed)
    throw new HoldfastError('closed', 'The store is closed. Open it again.', { operation: 'checkpoint' })
  // It becomes part of a statement, so only the words themselves may pass.
  if (!checkpointModes.includes(mode)) throw new HoldfastError('invalid', 'There is no such mode.', { path: 'mode' })
  if (store.readOnly) {
    throw new HoldfastError('read_only', 'The store only reads; a checkpoint writes.', { operation: 'checkpoint' })
  }
  try {
    const [busy, logPages, movedPages] = (ask(`pragma wal_checkpoint(${mode})`)[0] ?? []).map(Number)
    // Without a log, as in memory, the engine says -1.
    return { busy: busy === 1, logPages: Math.max(0, logPages ?? 0), movedPages: Math.max(0, movedPages ?? 0) }
  } catch (error) {
    throw wrapped(error)
  }
}
