import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { libraryVersion } from '../src/schema/library-version.js'

it('writes the version of the package beside the migrations it applies', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(libraryVersion).toBe(version)
})
