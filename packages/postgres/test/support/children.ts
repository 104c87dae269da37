import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export interface Child {
  readonly process: ChildProcess
  /** The next message of the child; fails when it ends without one. */
  next(): Promise<unknown>
  /** How it ended, and all that it printed. */
  readonly ended: Promise<{ readonly how: number | NodeJS.Signals; readonly output: string }>
}

/** Starts a script of `test/children`; what is left of it when the test ends is killed. */
export function startChild(script: string, ...given: readonly string[]): Child {
  const path = fileURLToPath(new URL(`../children/${script}`, import.meta.url))
  // The servers that a script may start are written in TypeScript, which takes a while to load.
  const execArgv = script.endsWith('-on-servers.mjs') ? ['--import', 'tsx'] : []
  const child = fork(path, given, { execArgv, silent: true })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text))
  const ended = once(child, 'close').then(([code, signal]) => ({ how: code ?? signal, output }))
  const messages: unknown[] = []
  const waiting: ((message: unknown) => void)[] = []
  child.on('message', (message) => {
    const first = waiting.shift()
    if (first) first(message)
    else messages.push(message)
  })
  return {
    process: child,
    ended,
    async next() {
      if (messages.length > 0) return messages.shift()
      const mute = ended.then(({ how, output: said }) => Promise.reject(new Error(`${script} ended: ${how}\n${said}`)))
      return Promise.race([new Promise((resolve) => waiting.push(resolve)), mute])
    },
  }
}
