import { z } from 'zod'
import { steppedIterator } from './iteration.js'
import type { IterateOptions } from './model/message.js'
import { type CallOptions, callOptions } from './model/primitives.js'
import type { Operation } from './operation.js'
import { runBatch } from './operations/batch.js'
import { scopeOperations } from './operations/index.js'
import type { Iteration } from './operations/reading.js'
import type { BatchWriter } from './ports/batch.js'
import type { BranchRepository } from './ports/branches.js'
import type { EventRepository } from './ports/events.js'
import type { FolderRepository, TagRepository } from './ports/labels.js'
import type { MessageIterable, MessageRepository, PartRepository } from './ports/messages.js'
import type { SessionRepository } from './ports/sessions.js'
import type { Scope } from './ports/store.js'
import type { StoreHandle } from './store.js'

// Handles share prototypes: a host may hold one for each of ten thousand tenants.

type RepositoryName = keyof typeof scopeOperations

class RepositoryHandle {
  readonly store: StoreHandle
  readonly scope: string

  constructor(store: StoreHandle, scope: string) {
    this.store = store
    this.scope = scope
  }
}

/** A class whose prototype has a method for every operation of a repository. */
function repositoryOf<Repository>(name: RepositoryName) {
  const Handle = class extends RepositoryHandle {}
  for (const [method, operation] of Object.entries(scopeOperations[name])) {
    const full = `${name}.${method}`
    Object.defineProperty(Handle.prototype, method, {
      value(this: RepositoryHandle, ...given: never) {
        return this.store.perform(full, operation as Operation, this.scope, given)
      },
    })
  }
  // The methods are those of the operations, and the type of the operations follows from the repository's.
  return Handle as unknown as new (
    store: StoreHandle,
    scope: string,
  ) => RepositoryHandle & Repository
}

const Sessions = repositoryOf<SessionRepository>('sessions')
const Branches = repositoryOf<BranchRepository>('branches')
const Parts = repositoryOf<PartRepository>('parts')
const Tags = repositoryOf<TagRepository>('tags')
const Folders = repositoryOf<FolderRepository>('folders')
const Events = repositoryOf<EventRepository>('events')

class Messages extends repositoryOf<Omit<MessageRepository, 'iterate'>>('messages') implements MessageRepository {
  iterate(session: string, options?: IterateOptions): MessageIterable {
    return {
      [Symbol.asyncIterator]: () =>
        steppedIterator(
          (at: Iteration | undefined) =>
            this.store.perform('messages.iterate', scopeOperations.messages.iterate, this.scope, [
              session,
              options,
              at,
            ]),
          this.store.capabilities.sharing === 'network',
        ),
    }
  }
}

const batchOperation = {
  access: 'write',
  arguments: () => ({
    build: z.custom((value) => typeof value === 'function', { error: 'must be a function' }),
    options: callOptions.optional(),
  }),
} as const

export class ScopeHandle implements Scope {
  readonly #store: StoreHandle
  readonly id: string

  constructor(store: StoreHandle, id: string) {
    this.#store = store
    this.id = id
  }

  get sessions(): SessionRepository {
    return new Sessions(this.#store, this.id)
  }
  get branches(): BranchRepository {
    return new Branches(this.#store, this.id)
  }
  get messages(): MessageRepository {
    return new Messages(this.#store, this.id)
  }
  get parts(): PartRepository {
    return new Parts(this.#store, this.id)
  }
  get tags(): TagRepository {
    return new Tags(this.#store, this.id)
  }
  get folders(): FolderRepository {
    return new Folders(this.#store, this.id)
  }
  get events(): EventRepository {
    return new Events(this.#store, this.id)
  }

  batch<Result>(build: (write: BatchWriter) => Result, options?: CallOptions): Promise<Result> {
    const operation: Operation<[typeof build, CallOptions | undefined], Result> = { ...batchOperation, run: runBatch }
    return this.#store.perform('batch', operation, this.id, [build, options])
  }
}
