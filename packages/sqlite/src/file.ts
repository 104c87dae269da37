import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { HoldfastError } from '@holdfast/core'

export interface FileOptions {
  readonly path: string
  readonly mayCreate: boolean
  readonly readOnly: boolean
  readonly fileMode: number
}

/** Sees to it that the file is there and can be used as asked. Returns its one true path. */
export function prepareFile({ path, mayCreate, readOnly, fileMode }: FileOptions): string {
  const wanted = resolve(path)
  if (mayCreate) create(wanted, fileMode)
  else if (!existsSync(wanted)) {
    throw new HoldfastError('schema_missing', 'There is no database at this path, and none may be created.', {
      entity: 'store',
    })
  }
  const real = realpathSync(wanted)
  // The engine would open such a file all the same, and fail at the first write.
  if (!readOnly) accessSync(real, constants.W_OK)
  return real
}

/** The engine gives the files beside the database the mode of the database. */
function create(path: string, fileMode: number): void {
  mkdirSync(dirname(path), { recursive: true })
  try {
    // Never without `x`: to close a database that is there would drop the locks of other stores of the process.
    const file = openSync(path, 'wx', fileMode)
    fchmodSync(file, fileMode)
    closeSync(file)
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    if (!taken) throw error
  }
}

/** Whether the log holds something: the last process did not end well, or another one is at work. */
export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}
