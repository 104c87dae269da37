import type { SessionInput } from '@holdfast/core'
import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { conversation, numbered, textOf } from '../tools/content.js'
import { refused } from '../tools/refusals.js'
import { noUsage } from '../tools/usage.js'

const everything = {
  id: 'trip',
  agent: 'planner',
  title: 'Trip to Oslo',
  titledBy: 'user',
  kind: 'daily',
  source: 'desktop',
  type: 'group',
  interactive: false,
  createdBy: 'user-1',
  participants: [{ userId: 'user-1', role: 'owner' }, { userId: 'user-2' }],
  mode: 'plan',
  model: { provider: 'maker', id: 'large', variant: 'thinking' },
  workingDirectory: '/home/user/trip',
  root: '/home/user',
  lineage: { relation: 'continuation', session: 'earlier', message: 'last-words' },
  externalRef: 'provider-session-1',
  permissions: [{ permission: 'edit', pattern: '**/*.md', action: 'ask', source: 'user' }],
  provenance: { playbook: 'travel', invocationKind: 'manual', topic: 'norway', step: 'draft', artifactsPath: '/out' },
  summary: 'A summary\u0000with anything in it',
  workingMemory: 'Remembers \ud800 too',
  transcript: { format: 'jsonl', uri: 'file:///t.jsonl', messageCount: 7 },
  startedAt: 11,
  endedAt: 12,
  metadata: { a: 1, nothing: null },
  usage: { input: 1, output: 2, reasoning: 3, cacheRead: 4, cacheWrite: 5, total: 6, cost: 7 },
  createdAt: 8,
  updatedAt: 9,
  lastActivityAt: 10,
} satisfies SessionInput

export const sessions = group('sessions', {
  'a session created without input has every field at its default': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    expect(session).toStrictEqual({
      id: session.id,
      agent: null,
      title: null,
      titledBy: null,
      kind: 'chat',
      source: null,
      type: 'direct',
      interactive: true,
      createdBy: null,
      participants: [],
      mode: null,
      model: null,
      workingDirectory: null,
      root: null,
      lineage: null,
      externalRef: null,
      permissions: [],
      provenance: { playbook: null, invocationKind: null, topic: null, step: null, artifactsPath: null },
      summary: null,
      workingMemory: null,
      usage: noUsage,
      messageCount: 0,
      transcript: null,
      metadata: {},
      status: 'idle',
      statusReason: null,
      activeBranch: session.activeBranch,
      createdAt: clock(),
      updatedAt: clock(),
      lastActivityAt: clock(),
      startedAt: null,
      endedAt: null,
      archivedAt: null,
      version: 1,
    })
  },

  'a session keeps every field it was created with': async ({ scope }) => {
    const session = await scope.sessions.create({ ...everything, tags: ['Norway'], folders: ['travel/2026'] })
    expect(session).toMatchObject(everything)
    expect(await scope.tags.of(session.id)).toEqual(['norway'])
    expect(await scope.folders.of(session.id)).toEqual(['travel/2026'])
  },

  'what create returns is what get reads': async ({ scope }) => {
    const session = await scope.sessions.create(everything)
    expect(await scope.sessions.get('trip')).toStrictEqual(session)
  },

  'a session that is not there is not_found, never null': async ({ scope }) => {
    await refused('not_found', scope.sessions.get('never'))
    await refused('not_found', scope.sessions.load('never'))
    await refused('not_found', scope.messages.list('never'))
    await refused('not_found', scope.branches.list('never'))
    await refused('not_found', scope.events.list('never'))
    await refused('not_found', scope.sessions.statusHistory('never'))
    await refused('not_found', scope.tags.of('never'))
    await refused('not_found', scope.folders.of('never'))
  },

  'the same id may exist in two scopes': async ({ store, scope }) => {
    const other = store.scope('other')
    await scope.sessions.create({ id: 'twin', title: 'here' })
    await other.sessions.create({ id: 'twin', title: 'there' })
    expect((await scope.sessions.get('twin')).title).toBe('here')
    expect((await other.sessions.get('twin')).title).toBe('there')
  },

  'ids that differ only in case or accents are different ids': async ({ scope }) => {
    for (const id of ['case', 'CASE', 'cäse', 'ca\u0308se']) await scope.sessions.create({ id, title: `of ${id}` })
    for (const id of ['case', 'CASE', 'cäse', 'ca\u0308se'])
      expect((await scope.sessions.get(id)).title).toBe(`of ${id}`)
  },

  'create keeps nulls in metadata': async ({ scope }) => {
    const session = await scope.sessions.create({ metadata: { gone: null, deep: { gone: null } } })
    expect(session.metadata).toStrictEqual({ gone: null, deep: { gone: null } })
  },

  'an empty title is a title': async ({ scope }) => {
    const session = await scope.sessions.create({ title: '' })
    expect((await scope.sessions.get(session.id)).title).toBe('')
  },

  'an external reference is unique per source': async ({ scope }) => {
    await scope.sessions.create({ source: 'a', externalRef: 'x' })
    await refused('conflict', scope.sessions.create({ source: 'a', externalRef: 'x' }))
    await scope.sessions.create({ source: 'b', externalRef: 'x' })
    expect(await scope.sessions.count({ externalRef: 'x' })).toBe(2)
  },

  'sessions without a source share one space of external references': async ({ scope }) => {
    await scope.sessions.create({ externalRef: 'x' })
    await refused('conflict', scope.sessions.create({ externalRef: 'x' }))
    expect(await scope.sessions.count()).toBe(1)
  },

  'an external reference is free again when its session is deleted or gives it up': async ({ scope }) => {
    const first = await scope.sessions.create({ source: 'a', externalRef: 'x' })
    await scope.sessions.delete(first.id)
    const second = await scope.sessions.create({ source: 'a', externalRef: 'x' })
    await scope.sessions.update(second.id, { externalRef: null })
    const third = await scope.sessions.create({ source: 'a', externalRef: 'x' })
    expect(third.externalRef).toBe('x')
  },

  'the same external reference may exist in two scopes': async ({ store, scope }) => {
    await scope.sessions.create({ externalRef: 'x' })
    const there = await store.scope('other').sessions.create({ externalRef: 'x' })
    expect(there.externalRef).toBe('x')
  },

  'load gives the session with its newest page': async ({ scope }) => {
    const { session } = await conversation(scope, ...numbered(5))
    const loaded = await scope.sessions.load(session.id, { limit: 2 })
    expect(loaded.session).toStrictEqual(await scope.sessions.get(session.id))
    expect(loaded.messages.items.map(textOf)).toEqual(['message 4', 'message 5'])
    expect(loaded.messages).toStrictEqual(await scope.messages.list(session.id, { limit: 2 }))
  },

  'touch moves the last activity to now and changes nothing else': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    clock.advance(1000)
    await scope.sessions.touch(session.id)
    expect(await scope.sessions.get(session.id)).toStrictEqual({ ...session, lastActivityAt: clock() })
  },

  'archiving hides a session from lists and changes nothing about its content': async ({ scope, clock }) => {
    const { session } = await conversation(scope, 'kept')
    const before = await scope.sessions.get(session.id)
    clock.advance(5)
    const archived = await scope.sessions.archive(session.id)
    expect(archived.archivedAt).toBe(clock())
    expect((await scope.sessions.list()).items).toEqual([])
    expect(await scope.sessions.get(session.id)).toStrictEqual(archived)
    expect((await scope.messages.list(session.id)).items.map(textOf)).toEqual(['kept'])
    const { archivedAt: _, updatedAt: __, version: ___, ...content } = before
    expect(archived).toMatchObject(content)
  },

  'archiving twice keeps the first time, and unarchiving brings the session back': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    const archivedAt = (await scope.sessions.archive(session.id)).archivedAt
    clock.advance(1000)
    expect((await scope.sessions.archive(session.id)).archivedAt).toBe(archivedAt)
    expect((await scope.sessions.unarchive(session.id)).archivedAt).toBeNull()
    expect((await scope.sessions.unarchive(session.id)).archivedAt).toBeNull()
    expect((await scope.sessions.list()).items.map(({ id }) => id)).toEqual([session.id])
  },

  'lineage is history: it may name what is not there': async ({ scope }) => {
    const lineage = { relation: 'spawn' as const, session: 'of-another-store', message: null }
    const session = await scope.sessions.create({ lineage })
    expect((await scope.sessions.get(session.id)).lineage).toStrictEqual(lineage)
  },
})
