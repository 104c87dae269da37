import type { Operation } from '../operation.js'
import { branchOperations } from './branches.js'
import { eventOperations } from './events.js'
import { folderOperations, tagOperations } from './labels.js'
import { messageOperations, partOperations } from './messages.js'
import { sessionOperations } from './sessions.js'

/** Every call of a scope, by repository and method. */
export const scopeOperations = {
  sessions: sessionOperations,
  branches: branchOperations,
  messages: messageOperations,
  parts: partOperations,
  tags: tagOperations,
  folders: folderOperations,
  events: eventOperations,
}

type RepositoryName = keyof typeof scopeOperations
export type OperationName = {
  [Repository in RepositoryName]: `${Repository}.${keyof (typeof scopeOperations)[Repository] & string}`
}[RepositoryName]

/** An operation as tests and tools see it. */
export interface DescribedOperation {
  readonly name: OperationName
  readonly access: 'read' | 'write'
  readonly arguments: Operation['arguments']
}

/** Every call of a scope as a list, so that tests reach all of them by construction. */
export const operations: readonly DescribedOperation[] = Object.entries(scopeOperations).flatMap(
  ([repository, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      // The keys are those of the object the type is made from.
      name: `${repository}.${method}` as OperationName,
      access: operation.access,
      arguments: operation.arguments,
    })),
)
