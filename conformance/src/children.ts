import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { Outcome, PlannedCall } from './calls.js'
import type { Harness, Place } from './harness.js'
import type { Answer, Task } from './tasks.js'
import type { Worker } from './workers.js'

/** Another process with a store of its own on the same storage. */
export interface Child extends Worker {
  /** Closes the store of the process. */
  close(): Promise<void>
  /** Appends to a session without end, and kills the process once it has acknowledged so many messages. */
  killAfter(acknowledgements: number, scope: string, session: string): Promise<readonly string[]>
  /** Starts calls, and kills the process once a condition holds here. */
  killWhen(condition: () => Promise<boolean>, calls: readonly PlannedCall[]): Promise<void>
}

/** Processes without a store, by the module they have loaded: that takes longer than most of what they are asked for. */
const idle = new Map<string, ChildProcess[]>()

/** Opens stores in other processes, and closes them whatever happens. */
export async function withChildren<Result>(
  harness: Harness,
  place: Place,
  count: number,
  use: (children: readonly Child[]) => Promise<Result>,
): Promise<Result> {
  if (harness.module === undefined || harness.placeOf === undefined)
    expect.fail('a store that other processes may share needs a harness with `module` and `placeOf`')
  const waiting = idle.get(harness.module) ?? []
  idle.set(harness.module, waiting)
  const processes = waiting.splice(0, count).filter((child) => child.connected)
  while (processes.length < count) processes.push(start(harness.module))
  try {
    for (const child of processes) hold(child)
    await Promise.all(processes.map((child) => ask(child, { kind: 'open', token: place.token })))
    const result = await use(processes.map(childOf))
    const living = processes.filter((child) => child.connected)
    await Promise.all(living.map((child) => ask(child, { kind: 'close' })))
    for (const child of living) letGo(child)
    waiting.push(...living)
    return result
  } catch (error) {
    // What they were doing is not known, so nobody can use them again.
    for (const child of processes) child.kill('SIGKILL')
    throw error
  }
}

const typescript = import.meta.url.endsWith('.ts')

function start(module: string): ChildProcess {
  const script = fileURLToPath(new URL(typescript ? './child.ts' : './child.js', import.meta.url))
  const execArgv = typescript || module.endsWith('.ts') ? ['--import', 'tsx'] : []
  return fork(script, [module], { execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
}

function hold(child: ChildProcess): void {
  child.ref()
  child.channel?.ref()
}

/** The test runner may end while it is idle, and the child ends with it. */
function letGo(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
}

function childOf(child: ChildProcess): Child {
  return {
    run: async <Result>(calls: readonly PlannedCall<Result>[], lanes = 1) =>
      // The process makes these very calls, so they answer what such calls answer.
      (await ask(child, { kind: 'calls', calls, lanes })) as readonly Outcome<Result>[],
    close: async () => {
      await ask(child, { kind: 'close' })
    },
    killAfter: async (acknowledgements, scope, session) => {
      const acknowledged: string[] = []
      // This listener stays until the end: what was acknowledged before the kill took effect counts too.
      child.on('message', (answer: Answer) => {
        if (answer.kind === 'acknowledged') acknowledged.push(answer.message)
      })
      const enough = answerOf(child, () => (acknowledged.length >= acknowledgements ? true : undefined))
      send(child, { kind: 'append-until-killed', scope, session })
      await enough
      await kill(child)
      return acknowledged
    },
    killWhen: async (condition, calls) => {
      let failure: string | undefined
      ask(child, { kind: 'calls', calls, lanes: 1 }).then(
        (outcomes) => {
          for (const outcome of outcomes) if (!outcome.done) failure = outcome.reason
        },
        (error: unknown) => {
          failure = String(error)
        },
      )
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

function ask(child: ChildProcess, task: Task): Promise<readonly Outcome[]> {
  const outcomes = answerOf(child, (answer) => (answer.kind === 'done' ? answer.outcomes : undefined))
  send(child, task)
  return outcomes
}

function send(child: ChildProcess, task: Task): void {
  child.send(task)
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
