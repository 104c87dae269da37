import type { OperationName, Scope } from '@holdfast/core'
import type { World } from './world.js'

type MethodOf<Name extends OperationName> = Name extends `${infer Repository}.${infer Method}`
  ? Repository extends keyof Scope
    ? Method extends keyof Scope[Repository]
      ? Scope[Repository][Method]
      : never
    : never
  : never

type ArgumentsOf<Name extends OperationName> =
  MethodOf<Name> extends (...given: infer Arguments) => unknown ? Readonly<Arguments> : never

/**
 * Arguments with which each operation succeeds once in a world. An operation without a sample does not compile, and an
 * id that an operation takes and its sample does not name is a failure: nothing is tested by a list that can be too short.
 */
const samples: { readonly [Name in OperationName]: (world: World) => ArgumentsOf<Name> } = {
  'sessions.create': () => [
    {
      id: 'new',
      agent: 'a',
      title: 't',
      titledBy: 'user',
      kind: 'k',
      source: 's',
      type: 'group',
      interactive: true,
      createdBy: 'u',
      participants: [{ userId: 'u', role: 'r' }],
      mode: 'm',
      model: { provider: 'p', id: 'i', variant: 'v' },
      workingDirectory: '/w',
      root: '/r',
      lineage: { relation: 'spawn', session: 'history', message: 'history' },
      externalRef: 'x',
      permissions: [{ permission: 'p', pattern: '*', action: 'ask', source: 's' }],
      provenance: { playbook: 'p', invocationKind: 'i', topic: 't', step: 's', artifactsPath: '/a' },
      summary: 's',
      workingMemory: 'w',
      transcript: { format: 'f', uri: 'u', messageCount: 1 },
      tags: ['t'],
      folders: ['f'],
      metadata: { a: 1 },
      usage: { input: 1 },
      startedAt: 1,
      endedAt: 2,
      createdAt: 3,
      updatedAt: 4,
      lastActivityAt: 5,
    },
  ],
  'sessions.get': ({ session }) => [session],
  'sessions.load': ({ session }) => [session, { limit: 2 }],
  'sessions.update': ({ session }) => [
    session,
    {
      agent: 'a',
      title: 't',
      titledBy: 'user',
      kind: 'k',
      type: 'group',
      interactive: false,
      participants: [{ userId: 'u', role: 'r' }],
      model: { provider: 'p', id: 'i' },
      externalRef: 'y',
      permissions: [{ permission: 'p', pattern: '*', action: 'deny' }],
      provenance: { topic: 't' },
      summary: 's',
      metadata: { a: 1 },
    },
    { ifVersion: 1 },
  ],
  'sessions.list': () => [
    {
      agent: 'a',
      status: ['idle'],
      tag: 't',
      folder: 'f',
      descendants: true,
      participant: 'u',
      parent: 'p',
      provenance: { topic: 't' },
      title: 't',
      archived: 'any',
      activeAfter: 1,
      limit: 10,
      order: 'oldest',
      with: ['lastMessage'],
    },
  ],
  'sessions.count': () => [{ agent: 'a', status: 'idle', tag: 't', title: 't', createdBefore: 5 }],
  'sessions.touch': ({ session }) => [session],
  'sessions.archive': ({ session }) => [session],
  'sessions.unarchive': ({ session }) => [session],
  'sessions.delete': ({ session }) => [session],
  'sessions.setStatus': ({ session }) => [session, { from: ['idle'], to: 'running', reason: 'r', override: false }],
  'sessions.statusHistory': ({ session }) => [session, { after: 0, limit: 5 }],
  'sessions.fork': ({ session, branch, message }) => [
    session,
    { id: 'new', at: message, branch, title: 't', metadata: { a: 1 }, createdBy: 'u' },
  ],
  'sessions.addUsage': ({ session }) => [session, { id: 'new', input: 1, cost: 2 }],

  'branches.list': ({ session }) => [session],
  'branches.get': ({ branch }) => [branch],
  'branches.create': ({ session, branch, message }) => [
    session,
    {
      id: 'new',
      at: message,
      from: branch,
      systemMessage: message,
      activate: true,
      name: 'n',
      agentConfig: { a: 1 },
      status: 's',
      startedAt: 1,
      endedAt: 2,
      metadata: { a: 1 },
      createdBy: 'u',
    },
  ],
  'branches.update': ({ branch, message }) => [
    branch,
    { name: 'n', agentConfig: [1], systemMessage: message, status: 's', startedAt: 1, metadata: { a: 1 } },
    { ifVersion: 1 },
  ],
  'branches.activate': ({ branch }) => [branch],
  'branches.siblings': ({ session, message }) => [session, message],
  'branches.rewind': ({ session, message }) => [session, { at: message, id: 'new', createdBy: 'u' }],
  'branches.undo': ({ session }) => [session],
  'branches.edit': ({ session, message }) => [
    session,
    message,
    { id: 'new', role: 'user', parts: [{ type: 'text', text: 't' }] },
  ],
  'branches.regenerate': ({ session, open }) => [session, open, { id: 'new', createdBy: 'u' }],

  'messages.append': ({ session, branch, branchHead }) => [
    session,
    {
      id: 'new',
      role: 'user',
      kind: 'k',
      sender: 's',
      recipient: 'r',
      channel: 'c',
      status: 'complete',
      model: { provider: 'p', id: 'i' },
      agent: 'a',
      usage: { input: 1 },
      finishReason: 'f',
      error: { a: 1 },
      trigger: { a: 1 },
      metadata: { a: 1 },
      createdBy: 'u',
      createdAt: 1,
      parts: [{ type: 'text', text: 't' }],
    },
    { branch, after: branchHead },
  ],
  'messages.appendAll': ({ session, branch, branchHead }) => [
    session,
    [{ id: 'new', role: 'user', parts: [{ type: 'text', text: 't' }] }],
    { branch, after: branchHead },
  ],
  'messages.get': ({ message }) => [message],
  'messages.list': ({ session, branch, message }) => [session, { branch, around: message, limit: 2 }],
  'messages.iterate': ({ session, branch }) => [session, { branch }],
  'messages.parts': ({ message }) => [message],
  'messages.settle': ({ open }) => [
    open,
    { status: 'complete', usage: { input: 1 }, finishReason: 'f', error: { a: 1 }, metadata: { a: 1 } },
  ],

  'parts.settle': ({ session, toolCallId }) => [session, toolCallId, { state: 'output-available', output: 1 }],

  'tags.set': ({ session }) => [session, ['t']],
  'tags.add': ({ session }) => [session, ['t']],
  'tags.remove': ({ session }) => [session, ['t']],
  'tags.of': ({ session }) => [session],
  'tags.list': () => [{ limit: 5 }],

  'folders.set': ({ session }) => [session, ['f']],
  'folders.add': ({ session }) => [session, ['f']],
  'folders.remove': ({ session }) => [session, ['f']],
  'folders.of': ({ session }) => [session],
  'folders.find': () => ['f', { descendants: true, limit: 5 }],

  'events.add': ({ session, message }) => [session, { id: 'new', type: 't', payload: { a: 1 }, message, user: 'u' }],
  'events.list': ({ session }) => [session, { after: 0, type: 't', limit: 5 }],
  'events.latest': ({ session }) => [session, 't'],
}

/** The arguments of an operation in a world, without their types, for callers that go through all operations. */
export function sampleOf(name: OperationName, world: World): readonly unknown[] {
  const sample: ((world: World) => readonly unknown[]) | undefined = samples[name]
  if (sample === undefined) throw new Error(`${name} has no sample: the suite is older than the library it tests.`)
  return sample(world)
}
