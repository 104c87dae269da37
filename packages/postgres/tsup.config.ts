import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { index: 'src/index.ts' },
  format: 'esm',
  target: 'node20',
  platform: 'node',
  sourcemap: true,
  splitting: true,
  dts: false,
  clean: true,
})
