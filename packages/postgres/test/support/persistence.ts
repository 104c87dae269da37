import { type ErrorCode, isHoldfastError, type Message, type MessageInput, type Scope } from '@holdfast/core'

/** How often calls failed, by code. */
export type Failures = Map<ErrorCode, number>

/**
 * Appends until it is acknowledged, as a host does that outlives its server. A call whose outcome is unknown is repeated
 * with the ids that its error names; any other that failed has written nothing, and is repeated as it was.
 */
export async function appendPersistently(
  scope: Scope,
  session: string,
  message: MessageInput,
  failures: Failures = new Map(),
): Promise<Message> {
  let input = message
  for (;;) {
    try {
      return await scope.messages.append(session, input)
    } catch (error) {
      if (!isHoldfastError(error) || !error.retryable) throw error
      failures.set(error.code, (failures.get(error.code) ?? 0) + 1)
      const [id] = error.ids ?? []
      if (id !== undefined) input = { ...input, id }
      // A server that is down refuses within a fraction of a millisecond.
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
}
