import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'packages/*/test/**/*.test.ts',
      'conformance/test/**/*.test.ts',
      'conformance/servers/test/**/*.test.ts',
      'examples/*/test/**/*.test.ts',
    ],
    globalSetup: ['conformance/servers/src/global-setup.ts'],
    pool: 'forks',
    // Tests that ask a server leave the processor to others while they wait.
    maxWorkers: 2,
    testTimeout: 60_000,
    passWithNoTests: false,
    reporters: ['default', 'json'],
    // .ci/run reads its counts from this file.
    outputFile: { json: 'node_modules/.cache/holdfast/vitest.json' },
  },
})
