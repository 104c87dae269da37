import type { FindOptions, Scope } from '@holdfast/core'
import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { only } from '../tools/content.js'
import { refused } from '../tools/refusals.js'

async function found(scope: Scope, folder: string, options: FindOptions = {}): Promise<readonly string[]> {
  return (await scope.folders.find(folder, options)).items.map(({ id }) => id).sort()
}

export const folders = group('folders', {
  'set, add and remove change the folders of one session': async ({ scope }) => {
    const session = await scope.sessions.create({ folders: ['a/b'] })
    const other = await scope.sessions.create({ folders: ['a/b'] })
    await scope.folders.add(session.id, ['c', 'a/b'])
    expect(await scope.folders.of(session.id)).toEqual(['a/b', 'c'])
    await scope.folders.remove(session.id, ['a/b', 'never'])
    expect(await scope.folders.of(session.id)).toEqual(['c'])
    await scope.folders.set(session.id, ['x', 'y'])
    expect(await scope.folders.of(session.id)).toEqual(['x', 'y'])
    expect(await scope.folders.of(other.id)).toEqual(['a/b'])
  },

  'a slash at the end does not count, and case does': async ({ scope }) => {
    const session = await scope.sessions.create({ folders: ['Travel/2026/'] })
    expect(await scope.folders.of(session.id)).toEqual(['Travel/2026'])
    expect(await found(scope, 'Travel/2026/')).toEqual([session.id])
    expect(await found(scope, 'travel/2026')).toEqual([])
  },

  'a folder with empty, "." or ".." segments is invalid': async ({ scope }) => {
    const session = await scope.sessions.create({ folders: ['kept'] })
    for (const folder of ['', '/', '//', 'a//b', '.', '..', 'a/../b', './a', 'a/.', 'a//']) {
      await refused('invalid', scope.folders.add(session.id, [folder]))
      await refused('invalid', scope.folders.find(folder))
    }
    expect(await scope.folders.of(session.id)).toEqual(['kept'])
  },

  'sessions are found by folder, and with all that is below it': async ({ scope }) => {
    await scope.sessions.create({ id: 'inside', folders: ['a/b'] })
    await scope.sessions.create({ id: 'below', folders: ['a/b/c'] })
    await scope.sessions.create({ id: 'beside', folders: ['a/bc', 'a/b c', 'a/b-'] })
    expect(await found(scope, 'a/b')).toEqual(['inside'])
    expect(await found(scope, 'a/b', { descendants: true })).toEqual(['below', 'inside'])
    expect(await found(scope, 'a', { descendants: true })).toEqual(['below', 'beside', 'inside'])
    expect(await found(scope, 'a')).toEqual([])
  },

  'a path from the root and one without it are two folders': async ({ scope }) => {
    await scope.sessions.create({ id: 'rooted', folders: ['/a'] })
    await scope.sessions.create({ id: 'relative', folders: ['a'] })
    expect(await found(scope, '/a')).toEqual(['rooted'])
    expect(await found(scope, 'a')).toEqual(['relative'])
  },

  'archived sessions are not found by folder': async ({ scope }) => {
    const session = await scope.sessions.create({ folders: ['a'] })
    await scope.sessions.archive(session.id)
    expect(await found(scope, 'a')).toEqual([])
    expect((await scope.sessions.list({ folder: 'a', archived: true })).items).toHaveLength(1)
  },

  'sessions of a folder are found newest first, page by page': async ({ scope }) => {
    for (const [index, id] of ['a', 'b', 'c'].entries())
      await scope.sessions.create({ id, folders: ['f/g'], createdAt: index, lastActivityAt: index })
    const first = await scope.folders.find('f', { descendants: true, limit: 2 })
    expect(first.items.map(({ id }) => id)).toEqual(['c', 'b'])
    const second = await scope.folders.find('f', { descendants: true, limit: 2, cursor: first.next ?? '' })
    expect(only(second.items)).toStrictEqual(await scope.sessions.get('a'))
    expect(second.next).toBeNull()
  },
})
