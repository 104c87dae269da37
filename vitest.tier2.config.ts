import { mergeConfig } from 'vitest/config'
import everyday from './vitest.config.js'

export default mergeConfig(
  { ...everyday, test: { ...everyday.test, include: [], reporters: ['default'] } },
  { test: { include: ['packages/*/tier2/**/*.test.ts'] } },
)
