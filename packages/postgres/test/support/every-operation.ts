import type { Admin, Scope } from '@holdfast/core'
import { saying, threadOf } from './stores.js'

/** Calls every operation of a scope, so that every kind of statement is sent. */
export async function callEveryOperation(scope: Scope): Promise<void> {
  await createAndAppend(scope)
  await branchOff(scope)
  await label(scope)
  await change(scope)
  await read(scope)
  await remove(scope)
}

async function createAndAppend(scope: Scope): Promise<void> {
  const { sessions, messages, parts, events } = scope
  await sessions.create({ id: 's', title: 'Trip to Oslo', externalRef: 'e', tags: ['north'], folders: ['trips/2030'] })
  await messages.append('s', { id: 'm1', ...saying('Two days') }, { after: null })
  await messages.append('s', { id: 'm2', ...saying('No museums') }, { after: 'm1' })
  await messages.appendAll('s', [
    saying('Three days'),
    { id: 'open', role: 'assistant', status: 'streaming', parts: [] },
  ])
  await messages.settle('open', { status: 'complete', usage: { input: 1 }, metadata: { of: 'x' } })
  const call = { type: 'tool-weather', toolCallId: 'call', state: 'input-available', input: {} }
  await messages.append('s', { role: 'assistant', parts: [call] })
  await parts.settle('s', 'call', { state: 'output-available', output: { sky: 'clear' } })
  await events.add('s', { id: 'noted', type: 'noted', payload: {} })
  await events.add('s', { type: 'noted' })
  await scope.batch((write) => {
    const { id } = write.sessions.create({ id: 'b', participants: [{ userId: 'u' }] })
    write.messages.append(id, saying('In a batch'))
    write.sessions.addUsage(id, { input: 1 })
    write.sessions.touch('s')
  })
}

async function branchOff({ branches, messages, sessions }: Scope): Promise<void> {
  await branches.create('s', { id: 'side', at: 'm1' })
  await messages.append('s', { id: 'aside', ...saying('Aside') }, { branch: 'side' })
  await branches.update('side', { name: 'aside', metadata: { of: 'x' } })
  await branches.activate('side')
  await branches.edit('s', 'aside', saying('Aside, again'))
  await branches.undo('s')
  await branches.regenerate('s', 'aside')
  await branches.rewind('s', { at: 'm1' })
  await sessions.fork('s', { id: 'f', at: 'm1' })
  await messages.append('f', saying('In a fork'))
}

async function label({ tags, folders }: Scope): Promise<void> {
  await tags.add('s', ['fjord'])
  await tags.remove('s', ['north'])
  await tags.set('s', ['fjord', 'rail'])
  await folders.add('s', ['trips/2031'])
  await folders.remove('s', ['trips/2030'])
  await folders.set('s', ['trips/2032'])
}

async function change({ sessions }: Scope): Promise<void> {
  await sessions.update('s', { title: 'Trip to Bergen', externalRef: 'e2', source: 'mail', metadata: { of: 'x' } })
  await sessions.setStatus('s', { from: 'idle', to: 'running' })
  await sessions.addUsage('s', { id: 'spent', input: 1, output: 2 })
  await sessions.touch('s')
  await sessions.archive('s')
  await sessions.unarchive('s')
}

async function read(scope: Scope): Promise<void> {
  const { sessions, branches, messages, tags, folders, events } = scope
  await sessions.get('s')
  await sessions.load('s', { limit: 1 })
  const filters = [
    {},
    { tag: 'fjord', participant: 'u', folder: 'trips', descendants: true, title: 'bergen', parent: 's' },
    { agent: 'a', status: 'running', archived: 'any', activeAfter: 1, createdBefore: 2, externalRef: 'e2' },
  ] as const
  for (const filter of filters) {
    await sessions.count(filter)
    for (const order of ['newest', 'oldest'] as const) {
      const { next } = await sessions.list({ ...filter, order, limit: 1, with: ['lastMessage'] })
      if (next !== null) await sessions.list({ ...filter, order, limit: 1, cursor: next })
    }
  }
  await sessions.statusHistory('s')
  await branches.list('s')
  await branches.get('side')
  await branches.siblings('s', 'aside')
  await messages.get('m1')
  await messages.parts('m1')
  for (const session of ['s', 'f']) {
    await messages.list(session, { limit: 1 })
    await messages.list(session, { around: 'm1', limit: 1 })
    await messages.list(session, { branch: session === 's' ? 'side' : undefined })
    await threadOf(scope, session)
  }
  for await (const _ of messages.iterate('s', { branches: 'all' }));
  await tags.of('s')
  await tags.list({ limit: 1 })
  await folders.of('s')
  await folders.find('trips', { descendants: true })
  await events.list('s', { after: 1 })
  await events.list('s', { type: 'noted' })
  await events.latest('s', 'noted')
}

/** What a fork still shows stays for a while, and the rest is swept. */
async function remove({ sessions }: Scope): Promise<void> {
  for (const session of ['s', 'f', 'b']) await sessions.delete(session)
}

/** Calls every operation of administration. */
export async function administer({ scopes, stats, integrity, sweep }: Admin, scope: string): Promise<void> {
  await scopes.list({ limit: 1 })
  await scopes.stats(scope)
  await stats()
  await integrity()
  await scopes.delete(scope)
  await sweep()
}
