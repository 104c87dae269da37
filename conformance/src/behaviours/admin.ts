import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { createWorld } from '../construction/world.js'
import { conversation, path, say } from '../tools/content.js'
import { dump, pagesOf } from '../tools/dump.js'
import { refused } from '../tools/refusals.js'
import { rowsOf } from '../tools/rows.js'

export const admin = group('administration', {
  'scopes that hold something are listed in the order of their bytes': async ({ store }) => {
    const ordered = ['-', 'B', 'a', 'z', 'ä', '\uffee', '\u{1f600}']
    for (const id of ordered.toReversed()) await store.scope(id).sessions.create()
    expect((await store.admin.scopes.list()).items).toEqual(ordered)
    expect(await pagesOf((cursor) => store.admin.scopes.list({ ...cursor, limit: 2 }))).toEqual(ordered)
  },

  'a scope that was only named or read holds nothing': async ({ store }) => {
    const scope = store.scope('visitor')
    await scope.sessions.list()
    await refused('not_found', scope.sessions.get('never'))
    await refused('not_found', scope.tags.add('never', ['a']))
    expect((await store.admin.scopes.list()).items).toEqual([])
    await refused('not_found', store.admin.scopes.delete('visitor'))
  },

  'a scope is deleted whole, and no other is touched': async ({ store, scope }) => {
    const other = store.scope('other')
    await createWorld(other, 'same', 'kept')
    const before = { kept: await dump(other), rows: await rowsOf(store) }
    await createWorld(scope, 'same', 'gone')
    await store.admin.scopes.delete(scope.id)
    expect(await dump(scope)).toEqual({ sessions: [], tags: [] })
    await refused('not_found', scope.messages.get('same-first'))
    await refused('not_found', scope.branches.get('same-branch'))
    expect((await store.admin.scopes.list()).items).toEqual(['other'])
    expect(await dump(other)).toEqual(before.kept)
    expect(await rowsOf(store)).toBe(before.rows)
    expect((await store.admin.integrity()).problems).toEqual([])
  },

  'a deleted scope can be filled again': async ({ store, scope }) => {
    await createWorld(scope, 'same', 'before')
    await store.admin.scopes.delete(scope.id)
    await refused('not_found', store.admin.scopes.delete(scope.id))
    await createWorld(scope, 'same', 'after')
    expect(JSON.stringify(await dump(scope))).not.toContain('before')
    expect((await scope.events.list('same-session')).at(0)?.seq).toBe(1)
  },

  'statistics count sessions by status, of the store and of one scope': async ({ store, scope }) => {
    await scope.sessions.create()
    const running = await scope.sessions.create()
    await scope.sessions.setStatus(running.id, { from: 'idle', to: 'running' })
    await store.scope('other').sessions.create()
    expect((await store.admin.stats()).sessionsByStatus).toEqual({ idle: 2, running: 1 })
    expect((await store.admin.scopes.stats(scope.id)).sessionsByStatus).toEqual({ idle: 1, running: 1 })
    expect((await store.admin.scopes.stats('never')).sessionsByStatus).toEqual({})
  },

  'statistics count rows, of the store and of one scope': async ({ store, scope }) => {
    await conversation(scope, 'one', 'two')
    await conversation(store.scope('other'), 'one')
    const mine = await rowsOf(store, scope.id)
    const { session } = await conversation(scope)
    await say(scope, session, 'three')
    expect(await rowsOf(store, scope.id)).toBeGreaterThan(mine)
    expect(await rowsOf(store)).toBeGreaterThan(await rowsOf(store, scope.id))
    expect(Object.keys((await store.admin.stats()).engine).length).toBeGreaterThan(0)
  },

  'integrity finds nothing in a store that was used well': async ({ store, scope }) => {
    await createWorld(scope, 'mine', 'mark')
    await createWorld(store.scope('other'), 'mine', 'mark')
    await scope.sessions.delete('mine-session')
    expect(await store.admin.integrity()).toStrictEqual({ ok: true, problems: [] })
  },

  'a sweep with nothing to do changes nothing': async ({ store, scope }) => {
    await createWorld(scope, 'mine', 'mark')
    const before = await dump(scope)
    await store.admin.sweep()
    expect(await dump(scope)).toEqual(before)
    expect(await path(scope, 'mine-fork')).toEqual(['mark one'])
  },

  'reads never write': async ({ store, scope }) => {
    await createWorld(scope, 'mine', 'mark')
    const before = await store.admin.stats()
    await dump(scope)
    await store.admin.integrity()
    await store.admin.scopes.list()
    expect((await store.admin.stats()).rows).toEqual(before.rows)
  },
})
