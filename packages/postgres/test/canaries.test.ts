import { type ErrorCode, errorCodes } from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { startChild } from './support/children.js'

/** Codes that nothing here can be made to answer with. */
const unreachable = new Set<ErrorCode>(['lease_lost', 'cursor_expired', 'in_use', 'decrypt_failed'])
// These need a database of another version, and a server of one.
for (const code of ['schema_newer', 'unsupported'] as const) unreachable.add(code)

describe('what is printed', () => {
  it('of errors, observations and stores holds neither content nor a password', async () => {
    const secrets = { content: 'canary-of-content', password: 'canary-of-the-password' }
    const { how, output } = await startChild('force-errors-on-servers.mjs', JSON.stringify(secrets)).ended
    expect(how, output.slice(-2000)).toBe(0)
    for (const secret of Object.values(secrets)) expect(linesWith(output, secret)).toEqual([])
    // Also not in pieces, or in another spelling.
    expect(linesWith(output, 'canary-of')).toEqual([])

    const reached = new Set([...output.matchAll(/^[^:{}\n]+: ([a-z_]+) HoldfastError/gm)].map(([, code]) => code))
    const missed = errorCodes.filter((code) => !reached.has(code) && !unreachable.has(code))
    expect(missed).toEqual([])
  })
})

function linesWith(output: string, text: string): readonly string[] {
  return output.split('\n').filter((line) => line.includes(text))
}
