import { HoldfastError } from '@holdfast/core'
import { expect, it } from 'vitest'
import { classify, markUnsettled, wrapped } from '../src/classify.js'

function failure(code: string): Error {
  return Object.assign(new Error('secret words of a user'), { code })
}

it.each([
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_BUSY_SNAPSHOT', 'busy'],
  ['SQLITE_BUSY_RECOVERY', 'busy'],
  ['SQLITE_LOCKED', 'busy'],
  ['SQLITE_PROTOCOL', 'busy'],
  ['SQLITE_FULL', 'disk_full'],
  ['ENOSPC', 'disk_full'],
  ['SQLITE_CORRUPT', 'corrupt'],
  ['SQLITE_CORRUPT_INDEX', 'corrupt'],
  ['SQLITE_NOTADB', 'corrupt'],
  ['SQLITE_READONLY', 'read_only'],
  ['SQLITE_READONLY_DIRECTORY', 'read_only'],
  ['SQLITE_READONLY_DBMOVED', 'unavailable'],
  ['SQLITE_PERM', 'read_only'],
  ['EACCES', 'read_only'],
  ['EROFS', 'read_only'],
  ['SQLITE_IOERR', 'unavailable'],
  ['SQLITE_IOERR_FSYNC', 'unavailable'],
  ['SQLITE_CANTOPEN', 'unavailable'],
  ['SQLITE_AUTH', 'unauthorized'],
  ['SQLITE_TOOBIG', 'too_large'],
  ['SQLITE_CONSTRAINT_UNIQUE', 'conflict'],
  ['SQLITE_NOMEM', 'unavailable'],
  ['SQLITE_ERROR', 'unavailable'],
])('%s is %s, and no word of the driver gets through', (driverCode, code) => {
  const classified = classify(failure(driverCode))
  expect(classified?.code).toBe(code)
  expect(classified?.message).toContain(driverCode)
  expect(classified?.message).not.toContain('secret')
})

it('an input or output error of a commit leaves the outcome unknown', () => {
  const error = failure('SQLITE_IOERR_FSYNC')
  markUnsettled(error)
  expect(classify(error)?.code).toBe('outcome_unknown')
})

it('a commit that found no room did not take place', () => {
  const error = failure('SQLITE_FULL')
  markUnsettled(error)
  expect(classify(error)?.code).toBe('disk_full')
})

it('a table that was dropped meanwhile is schema_missing', () => {
  const error = Object.assign(new Error('no such table: holdfast_sessions'), { code: 'SQLITE_ERROR' })
  expect(classify(error)?.code).toBe('schema_missing')
})

it.each([undefined, null, 'a text', 7, new TypeError('secret'), failure('ERR_INVALID_ARG_TYPE')])(
  'what is no failure of the engine is a mistake in the program: %s',
  (error) => {
    expect(classify(error)).toBeUndefined()
    expect(wrapped(error)).toBe(error)
  },
)

it('an error of the library stays what it is', () => {
  const error = new HoldfastError('aborted', 'The call was aborted.')
  expect(wrapped(error)).toBe(error)
})

it('a failure outside of a call is wrapped, with the error of the driver as its cause', () => {
  const cause = failure('SQLITE_FULL')
  expect(wrapped(cause)).toMatchObject({ code: 'disk_full', cause })
})
