import { invalid } from '../errors.js'
import type { BatchWriter, LabelWriter, Minted } from '../ports/batch.js'
import type { ChangeLabels } from '../ports/commands.js'
import type { Work } from '../work.js'
import { appendMessages } from './append.js'
import { activation, branchOperations } from './branches.js'
import { type Draft, writeAll } from './draft.js'
import { addEvent, eventOperations } from './events.js'
import { Family, shownMessage } from './family.js'
import { changeLabels, folderOperations, tagOperations } from './labels.js'
import { messageOperations } from './messages.js'
import { addUsage, createSession, deleteSession, sessionOperations, simple, touchSession } from './sessions.js'
import { sweep } from './sweep.js'

/** Collects drafts while the builder runs, then writes them as one. */
export async function runBatch<Result>(work: Work, build: (write: BatchWriter) => Result): Promise<Result> {
  const batch = new Batch(work)
  const result = batch.build(build)
  if (isThenable(result)) {
    // What it still does is not ours, and nobody else can take care of how it ends.
    Promise.resolve(result).catch(() => undefined)
    throw invalid('The builder of a batch must not be asynchronous.', 'build')
  }
  await batch.write()
  return result
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

interface Mention {
  readonly session: string
  readonly message: string
}

class Batch {
  readonly #work: Work
  readonly #drafts: Draft<unknown>[] = []
  /** Messages that events of the batch are about. */
  readonly #mentions: Mention[] = []
  #open = true

  constructor(work: Work) {
    this.#work = work
  }

  build<Result>(build: (write: BatchWriter) => Result): Result {
    try {
      return build(this.#writer())
    } finally {
      this.#open = false
    }
  }

  async write(): Promise<void> {
    if (this.#drafts.length === 0) return
    await this.#assertMentionsAreShown()
    await writeAll(this.#work, this.#drafts)
    const deletes = this.#drafts.some(({ commands }) => commands.some(({ type }) => type === 'delete-session'))
    if (deletes) await sweep(this.#work, this.#work.scope)
  }

  async #assertMentionsAreShown(): Promise<void> {
    const created = new Set(this.#drafts.flatMap(({ creations }) => creations.map(({ id }) => id)))
    for (const { session, message } of this.#mentions)
      if (!created.has(message)) await shownMessage(this.#work, await Family.of(this.#work, session), message)
  }

  #add(draft: Draft<unknown>): readonly Minted[] {
    if (!this.#open) throw invalid('The batch is over: its builder has returned.', 'write')
    this.#drafts.push(draft)
    return draft.creations.map(({ id }) => ({ id }))
  }

  #addOne(draft: Draft<unknown>): Minted {
    const [minted] = this.#add(draft)
    if (minted === undefined) throw new Error('A draft that mints nothing has no id to give.')
    return minted
  }

  #writer(): BatchWriter {
    const work = this.#work
    const { validate } = work.tools
    return {
      sessions: {
        create: (input = {}) => {
          validate(sessionOperations.create, [input])
          return this.#addOne(createSession(work, input))
        },
        touch: (session) => {
          validate(sessionOperations.touch, [session])
          this.#add(touchSession(work, session))
        },
        delete: (session) => {
          validate(sessionOperations.delete, [session])
          this.#add(deleteSession(session))
        },
        addUsage: (session, usage) => {
          validate(sessionOperations.addUsage, [session, usage])
          return this.#addOne(addUsage(work, session, usage))
        },
      },
      branches: {
        activate: (session, branch) => {
          validate(sessionOperations.get, [session])
          validate(branchOperations.activate, [branch])
          this.#add(simple(activation(work, session, branch)))
        },
      },
      messages: {
        append: (session, message, options = {}) => {
          validate(messageOperations.append, [session, message, options])
          return this.#addOne(appendMessages(work, session, [message], options))
        },
        appendAll: (session, messages, options = {}) => {
          validate(messageOperations.appendAll, [session, messages, options])
          return this.#add(appendMessages(work, session, messages, options))
        },
      },
      tags: this.#labels('tag'),
      folders: this.#labels('folder'),
      events: {
        add: (session, event) => {
          validate(eventOperations.add, [session, event])
          if (event.message !== undefined) this.#mentions.push({ session, message: event.message })
          return this.#addOne(addEvent(work, session, event))
        },
      },
    }
  }

  #labels(kind: 'tag' | 'folder'): LabelWriter {
    const described = kind === 'tag' ? tagOperations.set : folderOperations.set
    const change = (how: ChangeLabels['change']) => (session: string, values: readonly string[]) => {
      this.#work.tools.validate(described, [session, values])
      this.#add(changeLabels(this.#work, session, kind, how, values))
    }
    return { set: change('replace'), add: change('add'), remove: change('remove') }
  }
}
