import type { Message, MessageInput, Store } from '@holdfast/core'
import type { Harness } from './harness.js'
import type { Answer, Task } from './tasks.js'

// Run as a process of its own, with the URL of a module that exports `harness` and the token of a place.

const [, , moduleUrl = '', token = ''] = process.argv
const { harness }: { harness: Harness } = await import(moduleUrl)
if (harness.placeOf === undefined) throw new Error(`The harness of ${harness.name} has no placeOf.`)
const store = await harness.placeOf(token).open()

process.on('message', (task: Task) => {
  carryOutTask(store, task).then(
    (messages) => say({ kind: 'done', messages }),
    (error: unknown) => say({ kind: 'failed', reason: String(error) }),
  )
})
// A child must not outlive the test that started it.
process.on('disconnect', () => process.exit())
say({ kind: 'ready' })

function say(answer: Answer): void {
  process.send?.(answer)
}

async function carryOutTask(opened: Store, task: Task): Promise<readonly Message[]> {
  if (task.kind === 'close') {
    await opened.close()
    return []
  }
  const scope = opened.scope(task.scope)
  const append = (text: string, id?: string) => scope.messages.append(task.session, message(text, id))
  switch (task.kind) {
    case 'append':
      return [await append(task.text, task.id)]
    case 'append-many': {
      const appended: Message[] = []
      for (let count = 0; count < task.count; count++) appended.push(await append(`${process.pid} ${count}`))
      return appended
    }
    case 'append-until-killed':
      for (let count = 0; ; count++) {
        const { id } = await append(`${count}`)
        say({ kind: 'acknowledged', message: id })
      }
    case 'delete':
      await scope.sessions.delete(task.session)
      return []
    case 'read':
      return (await scope.messages.list(task.session, { limit: 1000 })).items
  }
}

function message(text: string, id: string | undefined): MessageInput {
  return { role: 'user', parts: [{ type: 'text', text }], ...(id !== undefined && { id }) }
}
