// Runs turbo with telemetry off. With --quiet as the first argument, the output is shown only when turbo fails.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'

const args = process.argv.slice(2)
const quiet = args[0] === '--quiet'
if (quiet) args.shift()

const turbo = createRequire(import.meta.url).resolve('turbo/bin/turbo')
const result = spawnSync(process.execPath, [turbo, ...args], {
  stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
  maxBuffer: 64 * 1024 * 1024,
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
})
if (result.error) throw result.error
if (quiet && result.status !== 0) {
  process.stdout.write(result.stdout)
  process.stderr.write(result.stderr)
}
process.exitCode = result.status ?? 1
