import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Message } from '@holdfast/core'
import { expect } from 'vitest'
import type { Harness, Place } from './harness.js'
import type { Answer, Task } from './tasks.js'

/** Another process with a store of its own on the same storage. */
export interface Child {
  /** Asks for one task and waits until it is done. */
  ask(task: Task): Promise<readonly Message[]>
  /** Starts a task that never ends, and kills the process once it has acknowledged so many messages. */
  killAfter(acknowledgements: number, task: Task): Promise<readonly string[]>
  /** Starts a task and kills the process once a condition holds here. */
  killWhen(condition: () => Promise<boolean>, task: Task): Promise<void>
}

const typescript = import.meta.url.endsWith('.ts')

/** Starts child processes, and ends them whatever happens. */
export async function withChildren<Result>(
  harness: Harness,
  place: Place,
  count: number,
  use: (children: readonly Child[]) => Promise<Result>,
): Promise<Result> {
  if (harness.module === undefined || harness.placeOf === undefined)
    expect.fail('a store that other processes may share needs a harness with `module` and `placeOf`')
  const { module } = harness
  const processes = Array.from({ length: count }, () => start(module, place.token))
  try {
    return await use(await Promise.all(processes.map(ready)))
  } finally {
    for (const child of processes) child.kill('SIGKILL')
  }
}

function start(module: string, token: string): ChildProcess {
  const script = fileURLToPath(new URL(typescript ? './child.ts' : './child.js', import.meta.url))
  const execArgv = typescript || module.endsWith('.ts') ? ['--import', 'tsx'] : []
  return fork(script, [module, token], { execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
}

async function ready(child: ChildProcess): Promise<Child> {
  await answerOf(child, (answer) => (answer.kind === 'ready' ? answer : undefined))
  return {
    ask: async (task) => {
      child.send(task)
      return answerOf(child, (answer) => (answer.kind === 'done' ? answer.messages : undefined))
    },
    killAfter: async (acknowledgements, task) => {
      const acknowledged: string[] = []
      // This listener stays until the end: what was acknowledged before the kill took effect counts too.
      child.on('message', (answer: Answer) => {
        if (answer.kind === 'acknowledged') acknowledged.push(answer.message)
      })
      const enough = answerOf(child, () => (acknowledged.length >= acknowledgements ? true : undefined))
      child.send(task)
      await enough
      await kill(child)
      return acknowledged
    },
    killWhen: async (condition, task) => {
      let failure: string | undefined
      child.on('message', (answer: Answer) => {
        if (answer.kind === 'failed') failure = answer.reason
      })
      child.send(task)
      while (!(await condition())) if (failure !== undefined) expect.fail(failure)
      await kill(child)
    },
  }
}

async function kill(child: ChildProcess): Promise<void> {
  // The end of the process, and of everything it had still said.
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

/** The first answer that a test waits for. A failure, or the end of the process, is a failure of the test. */
function answerOf<Wanted>(child: ChildProcess, choose: (answer: Answer) => Wanted | undefined): Promise<Wanted> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      child.off('message', listen)
      child.off('exit', ended)
      settle()
    }
    const listen = (answer: Answer) => {
      if (answer.kind === 'failed') return finish(() => reject(new Error(answer.reason)))
      const wanted = choose(answer)
      if (wanted !== undefined) finish(() => resolve(wanted))
    }
    const ended = (code: number | null) => finish(() => reject(new Error(`The child process ended with ${code}.`)))
    child.on('message', listen)
    child.on('exit', ended)
  })
}
