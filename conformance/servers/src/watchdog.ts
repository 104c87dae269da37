import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Ends a server and removes its folder when this process lets go or ends, also when it is killed. */
export interface Watchdog {
  /** The process group to end, or nothing. */
  watch(group: number | undefined): void
  /** Lets it do its work now. */
  letGo(): Promise<void>
}

export function startWatchdog(folder: string): Watchdog {
  const script = fileURLToPath(new URL('./watchdog.sh', import.meta.url))
  // In a session of its own, so that an interrupt from the terminal, which ends this process, does not end it too.
  const dog = spawn('/bin/sh', [script, folder], { detached: true, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] })
  const ended = once(dog, 'exit')
  // Without a watchdog there is nothing to tell. Its end is awaited below.
  dog.stdin.on('error', () => {})
  dog.unref()
  return {
    watch: (group) => void dog.stdin.write(`${group ?? ''}\n`),
    letGo: async () => {
      dog.ref()
      dog.stdin.end()
      await ended
    },
  }
}
