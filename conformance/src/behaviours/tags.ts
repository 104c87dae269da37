import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { nth, numbered } from '../tools/content.js'
import { refused } from '../tools/refusals.js'

export const tags = group('tags', {
  'a tag is trimmed and in lower case, and stands once': async ({ scope }) => {
    const session = await scope.sessions.create({ tags: [' Work ', 'work', 'ÄRGER'] })
    expect(await scope.tags.of(session.id)).toEqual(['work', 'ärger'])
    await scope.tags.add(session.id, ['WORK', '\tTrip\n'])
    expect(await scope.tags.of(session.id)).toEqual(['trip', 'work', 'ärger'])
  },

  'set sets exactly these tags': async ({ scope }) => {
    const session = await scope.sessions.create({ tags: ['a', 'b'] })
    await scope.tags.set(session.id, ['b', 'c'])
    expect(await scope.tags.of(session.id)).toEqual(['b', 'c'])
    await scope.tags.set(session.id, [])
    expect(await scope.tags.of(session.id)).toEqual([])
  },

  'add and remove leave the other tags alone, and repeating them is no error': async ({ scope }) => {
    const session = await scope.sessions.create({ tags: ['a'] })
    await scope.tags.add(session.id, ['b', 'c'])
    await scope.tags.add(session.id, ['b'])
    await scope.tags.remove(session.id, [' A ', 'never'])
    await scope.tags.remove(session.id, ['a'])
    expect(await scope.tags.of(session.id)).toEqual(['b', 'c'])
  },

  'tags of one session are not those of another': async ({ scope }) => {
    const first = await scope.sessions.create({ tags: ['a', 'b'] })
    const second = await scope.sessions.create({ tags: ['a'] })
    await scope.tags.set(second.id, ['c'])
    await scope.tags.remove(second.id, ['a'])
    expect(await scope.tags.of(first.id)).toEqual(['a', 'b'])
  },

  'tags are counted over the sessions that are not archived': async ({ scope }) => {
    await scope.sessions.create({ tags: ['a', 'b'] })
    const archived = await scope.sessions.create({ tags: ['a', 'only archived'] })
    const deleted = await scope.sessions.create({ tags: ['a', 'deleted'] })
    await scope.sessions.archive(archived.id)
    await scope.sessions.delete(deleted.id)
    const { items } = await scope.tags.list()
    expect(items.filter(({ sessions }) => sessions > 0)).toStrictEqual([
      { tag: 'a', sessions: 1 },
      { tag: 'b', sessions: 1 },
    ])
    await scope.sessions.unarchive(archived.id)
    expect((await scope.tags.list()).items).toStrictEqual([
      { tag: 'a', sessions: 2 },
      { tag: 'b', sessions: 1 },
      { tag: 'only archived', sessions: 1 },
    ])
  },

  'tags are listed in the order of their bytes, page by page': async ({ scope }) => {
    const ordered = ['-', 'a', 'b', 'ä', '\uffee', '\u{1f600}']
    await scope.sessions.create({ tags: ordered.toReversed() })
    const first = await scope.tags.list({ limit: 4 })
    expect(first.items.map(({ tag }) => tag)).toEqual(ordered.slice(0, 4))
    const second = await scope.tags.list({ limit: 4, cursor: first.next ?? '' })
    expect(second.items.map(({ tag }) => tag)).toEqual(ordered.slice(4))
    expect(second.next).toBeNull()
  },

  'tags of a session are listed in the order of their bytes': async ({ scope }) => {
    const session = await scope.sessions.create({ tags: ['\u{1f600}', '\uffee', 'z', 'a'] })
    expect(await scope.tags.of(session.id)).toEqual(['a', 'z', '\uffee', '\u{1f600}'])
  },

  'a tag of nothing but white space is invalid': async ({ scope }) => {
    const session = await scope.sessions.create({ tags: ['kept'] })
    await refused('invalid', scope.tags.add(session.id, ['fine', '  ']))
    await refused('invalid', scope.tags.set(session.id, ['']))
    await refused('invalid', scope.sessions.create({ tags: ['\n'] }))
    expect(await scope.tags.of(session.id)).toEqual(['kept'])
    expect(await scope.sessions.count()).toBe(1)
  },

  'a session may have many tags': async ({ scope }) => {
    const many = numbered(300, 'tag').sort()
    const session = await scope.sessions.create({ tags: many })
    expect(await scope.tags.of(session.id)).toEqual(many)
    await scope.tags.remove(session.id, many.slice(1))
    expect(await scope.tags.of(session.id)).toEqual([nth(many, 0)])
  },
})
