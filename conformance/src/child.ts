import { isHoldfastError, type Store } from '@holdfast/core'
import { makeCalls, type Outcome } from './calls.js'
import type { Harness } from './harness.js'
import type { Answer, Task } from './tasks.js'

// Run as a process of its own, with the URL of a module that exports `harness`.

const loaded: Promise<{ readonly harness: Harness }> = import(process.argv[2] ?? '')
let store: Store | undefined

process.on('message', (task: Task) => {
  carryOutTask(task).then(
    (outcomes) => say({ kind: 'done', outcomes }),
    (error: unknown) =>
      say({ kind: 'failed', reason: isHoldfastError(error) ? `${error.code}: ${error}` : String(error) }),
  )
})
// A child must not outlive the test that started it.
process.on('disconnect', () => process.exit())

function say(answer: Answer): void {
  process.send?.(answer)
}

async function carryOutTask(task: Task): Promise<readonly Outcome[]> {
  if (task.kind === 'open') {
    const { harness } = await loaded
    store = await harness.placeOf?.(task.token).open()
    return []
  }
  if (store === undefined) throw new Error('No store is open.')
  switch (task.kind) {
    case 'calls':
      return makeCalls(store, task.calls, task.lanes)
    case 'append-until-killed':
      for (let count = 0; ; count++) {
        const message = { role: 'user', parts: [{ type: 'text', text: `${count}` }] }
        const { id } = await store.scope(task.scope).messages.append(task.session, message)
        say({ kind: 'acknowledged', message: id })
      }
    case 'close':
      await store.close()
      return []
  }
}
