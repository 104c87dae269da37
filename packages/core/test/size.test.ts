import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

describe('the package', () => {
  it('is under 40 KB minified and gzipped, dependencies aside', async () => {
    const bundle = await build({
      entryPoints: [fileURLToPath(import.meta.resolve('@holdfast/core'))],
      bundle: true,
      minify: true,
      format: 'esm',
      external: ['zod'],
      logLevel: 'error',
      write: false,
    })
    const [file] = bundle.outputFiles
    expect(gzipSync(file?.contents ?? '').length).toBeLessThan(40 * 1024)
  })

  it('needs nothing of Node', async () => {
    const bundle = await build({
      entryPoints: [fileURLToPath(import.meta.resolve('@holdfast/core/memory'))],
      bundle: true,
      platform: 'browser',
      logLevel: 'error',
      format: 'esm',
      write: false,
    })
    expect(bundle.outputFiles[0]?.text).not.toMatch(/from ?["']node:/)
  })
})
