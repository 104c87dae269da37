import { inspect } from 'node:util'
import { type HoldfastError, isHoldfastError, type Observation } from '@holdfast/core'
import { MemoryData, openMemoryStore } from '@holdfast/core/memory'
import { describe, expect, it } from 'vitest'

/** A scope with one of everything, whose stored JSON can be damaged. */
async function world() {
  const data = new MemoryData()
  const seen: Observation[] = []
  const store = await openMemoryStore({ data, observe: (observation) => seen.push(observation) })
  const scope = store.scope('s')
  await scope.sessions.create({ id: 'a', metadata: { k: 'secret' }, participants: [{ userId: 'secret' }] })
  const call = { type: 'tool-x', toolCallId: 'c', state: 'input-available', input: 'secret' }
  await scope.messages.append('a', {
    id: 'm',
    role: 'user',
    metadata: { k: 'secret' },
    parts: [{ type: 'text', text: 'secret' }, call],
  })
  await scope.branches.create('a', { id: 'b', agentConfig: { k: 'secret' }, metadata: { k: 'secret' } })
  await scope.events.add('a', { id: 'e', type: 'x', payload: 'secret' })
  await scope.sessions.setStatus('a', { from: 'idle', to: 'running', reason: 'secret' })
  const stored = data.scopes.get('s')
  const session = stored?.sessions.get('a')
  const message = stored?.messages.get('m')
  const branch = stored?.branches.get('b')
  if (!session || !message || !branch) throw new Error('The world is not as it was made.')
  seen.length = 0
  return { scope, seen, session, message, branch }
}

type World = Awaited<ReturnType<typeof world>>

const noJson = '{"k":secret"}'

const damages: Readonly<
  Record<string, { harm(world: World, json: string): void; calls: readonly ((world: World) => Promise<unknown>)[] }>
> = {
  'of a session': {
    harm: ({ session }, json) => {
      session.row = { ...session.row, metadataJson: json }
    },
    calls: [
      ({ scope }) => scope.sessions.get('a'),
      ({ scope }) => scope.sessions.list(),
      ({ scope }) => scope.sessions.load('a'),
      ({ scope }) => scope.sessions.update('a', { metadata: { x: 1 } }),
    ],
  },
  'of the participants that a fork inherits': {
    harm: ({ session }, json) => {
      session.row = { ...session.row, participantsJson: json }
    },
    calls: [({ scope }) => scope.sessions.get('a'), ({ scope }) => scope.sessions.fork('a')],
  },
  'of a message': {
    harm: ({ message }, json) => {
      message.row = { ...message.row, metadataJson: json }
    },
    calls: [
      ({ scope }) => scope.messages.get('m'),
      ({ scope }) => scope.messages.list('a'),
      ({ scope }) => scope.messages.settle('m', { metadata: { x: 1 } }),
    ],
  },
  'of a part': {
    harm: ({ message }, json) => {
      message.parts = message.parts.map((part) => ({ ...part, payloadJson: json }))
    },
    calls: [
      ({ scope }) => scope.messages.get('m'),
      ({ scope }) => scope.messages.parts('m'),
      ({ scope }) => scope.messages.list('a'),
      ({ scope }) => scope.messages.iterate('a')[Symbol.asyncIterator]().next(),
      ({ scope }) => scope.sessions.list({ with: ['lastMessage'] }),
      ({ scope }) => scope.parts.settle('a', 'c', { state: 'output-available', output: 1 }),
    ],
  },
  'of a branch': {
    harm: ({ branch }, json) => {
      branch.row = { ...branch.row, metadataJson: json }
    },
    calls: [({ scope }) => scope.branches.get('b'), ({ scope }) => scope.branches.list('a')],
  },
  'of the journal': {
    harm: ({ session }, json) => {
      for (const [index, entry] of session.journal.entries()) session.journal[index] = { ...entry, payloadJson: json }
    },
    calls: [({ scope }) => scope.sessions.statusHistory('a')],
  },
}

async function failure(call: Promise<unknown>): Promise<HoldfastError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isHoldfastError(error)) throw error ?? new Error('The call succeeded.')
  return error
}

describe('JSON that is damaged in storage', () => {
  for (const [where, { harm, calls }] of Object.entries(damages))
    for (const json of [noJson, '', '"secret"', 'null'])
      it(`${where} is \`corrupt\` and is not quoted: ${json === '' ? 'nothing' : json}`, async () => {
        for (const call of calls) {
          const damaged = await world()
          harm(damaged, json)
          const error = await failure(call(damaged))
          expect(error).toMatchObject({ code: 'corrupt', retryable: false })
          expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('secret')
          expect(damaged.seen.map(({ code }) => code)).toEqual(['corrupt'])
        }
      })

  it('of an event is `corrupt`, whatever its payload was', async () => {
    const damaged = await world()
    const [entry] = damaged.session.journal.splice(-2, 1)
    if (entry) damaged.session.journal.push({ ...entry, payloadJson: noJson })
    expect(await failure(damaged.scope.events.list('a'))).toMatchObject({ code: 'corrupt' })
    expect(await failure(damaged.scope.events.latest('a', 'x'))).toMatchObject({ code: 'corrupt' })
  })

  it('is told with the name of what is damaged', async () => {
    const { scope, session, message, branch } = await world()
    session.row = { ...session.row, metadataJson: noJson }
    message.row = { ...message.row, metadataJson: noJson }
    branch.row = { ...branch.row, metadataJson: noJson }
    expect(await failure(scope.sessions.get('a'))).toMatchObject({ entity: 'session', id: 'a' })
    expect(await failure(scope.messages.get('m'))).toMatchObject({ entity: 'message', id: 'm' })
    expect(await failure(scope.branches.get('b'))).toMatchObject({ entity: 'branch', id: 'b' })
  })
})
