import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export interface Child {
  readonly process: ChildProcess
  /** The next message of the child; fails when it ends without one. */
  next<Message>(): Promise<Message>
  /** How the child ended: its exit code, or the signal. */
  readonly ended: Promise<number | NodeJS.Signals>
}

export interface ChildOptions {
  readonly arguments?: readonly string[]
  /** What runs Node.js, such as `setpriv` with its arguments. */
  readonly under?: readonly string[]
}

/** Starts a script of `test/children`; what is left of it when the test ends is killed. */
export function startChild(script: string, options: ChildOptions = {}): Child {
  const path = fileURLToPath(new URL(`../children/${script}`, import.meta.url))
  const [execPath, ...execArgv] = [...(options.under ?? []), process.execPath]
  const child = fork(path, options.arguments ?? [], { execPath, execArgv })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal)
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
    async next<Message>() {
      const message =
        messages.shift() ??
        (await Promise.race([
          new Promise((resolve) => waiting.push(resolve)),
          ended.then((how) => Promise.reject(new Error(`${script} ended with ${how} before it said anything.`))),
        ]))
      // The scripts say what they send.
      return message as Message
    },
  }
}
