import { createStore, isHoldfastError } from '@holdfast/core'
import { createMemoryBackend } from '@holdfast/core/memory'
import { type Fault, withFaults } from '@holdfast/core/testing'
import { describe, expect, it } from 'vitest'

const hello = { role: 'user', parts: [{ type: 'text', text: 'hello' }] }

/** Runs a write with a fault at its n-th call of the backend. */
async function appendWithFault(nth: number, fault: Fault) {
  const backend = createMemoryBackend()
  const session = await createStore(backend).scope('s').sessions.create()
  let error: unknown
  const faulty = withFaults(backend, (point) => (point.nth === nth ? fault : undefined))
  const message = await createStore(faulty)
    .scope('s')
    .messages.append(session.id, hello)
    .catch((thrown: unknown) => {
      error = thrown
    })
  return { scope: createStore(backend).scope('s'), session, message, error }
}

describe('a write whose backend fails', () => {
  it('is `unavailable` and leaves nothing when it did not arrive', async () => {
    const { scope, session, error } = await appendWithFault(1, 'before')
    expect(error).toMatchObject({ code: 'unavailable', retryable: true, operation: 'messages.append' })
    expect((await scope.sessions.get(session.id)).messageCount).toBe(0)
  })

  it('is `outcome_unknown` when its answer is lost, and repeating it with the minted ids converges', async () => {
    const { scope, session, error } = await appendWithFault(1, 'after')
    if (!isHoldfastError(error, 'outcome_unknown')) throw error
    const [id = ''] = error.ids ?? []
    const repeated = await scope.messages.append(session.id, { id, ...hello })
    expect(repeated).toMatchObject({ id, position: 1 })
    expect((await scope.sessions.get(session.id)).messageCount).toBe(1)
  })

  it('does not show what the driver said', async () => {
    const backend = createMemoryBackend()
    const store = createStore({
      ...backend,
      commit: async () => {
        throw Object.assign(new Error('row (secret-content) failed'), { code: 'X1', detail: 'secret-content' })
      },
      classify: () => ({ code: 'unavailable', message: 'The database failed.' }),
    })
    const { inspect } = await import('node:util')
    const error: unknown = await store
      .scope('s')
      .sessions.create()
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'unavailable', cause: { code: 'X1' } })
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('secret-content')
  })

  it('is thrown as it is when it is a mistake in the program', async () => {
    const mistake = new TypeError('a bug')
    const store = createStore({ ...createMemoryBackend(), commit: () => Promise.reject(mistake) })
    await expect(store.scope('s').sessions.create()).rejects.toBe(mistake)
  })
})
