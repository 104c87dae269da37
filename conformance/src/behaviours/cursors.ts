import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { conversation, nth, numbered } from '../tools/content.js'
import { refused } from '../tools/refusals.js'

const damaged = [
  '',
  ' ',
  'x',
  '1.',
  '1.!!!',
  '1.e30',
  '9.WzFd',
  "' OR 1=1 --",
  '\u0000',
  '\ud800',
  '1.W10',
  '0',
  'null',
]

export const cursors = group('cursors', {
  'a damaged cursor is invalid everywhere': async ({ store, scope }) => {
    const { session } = await conversation(scope, 'one')
    for (const cursor of damaged) {
      await refused('invalid', scope.sessions.list({ cursor }))
      await refused('invalid', scope.tags.list({ cursor }))
      await refused('invalid', scope.folders.find('f', { cursor }))
      await refused('invalid', scope.messages.list(session.id, { before: cursor }))
      await refused('invalid', scope.messages.list(session.id, { after: cursor }))
      await refused('invalid', store.admin.scopes.list({ cursor }))
    }
  },

  'a cursor that was cut or changed is invalid': async ({ scope }) => {
    for (const id of numbered(3, 'session')) await scope.sessions.create({ id })
    const { next } = await scope.sessions.list({ limit: 1 })
    const cursor = next ?? ''
    await refused('invalid', scope.sessions.list({ cursor: cursor.slice(0, -6) }))
    await refused('invalid', scope.sessions.list({ cursor: cursor.slice(2) }))
    expect((await scope.sessions.list({ cursor })).items).toHaveLength(2)
  },

  'a cursor of another query is invalid': async ({ scope }) => {
    for (const id of numbered(3, 'session')) await scope.sessions.create({ id, agent: 'a', folders: ['f'] })
    const cursor = (await scope.sessions.list({ limit: 1, agent: 'a' })).next ?? ''
    await refused('invalid', scope.sessions.list({ cursor }))
    await refused('invalid', scope.sessions.list({ cursor, agent: 'b' }))
    await refused('invalid', scope.sessions.list({ cursor, agent: 'a', order: 'oldest' }))
    await refused('invalid', scope.sessions.list({ cursor, agent: 'a', archived: 'any' }))
    expect((await scope.sessions.list({ cursor, agent: 'a', limit: 2 })).items).toHaveLength(2)
    const found = (await scope.folders.find('f', { limit: 1 })).next ?? ''
    await refused('invalid', scope.folders.find('f', { cursor: found, descendants: true }))
    await refused('invalid', scope.folders.find('g', { cursor: found }))
  },

  'a cursor of another scope is invalid': async ({ store, scope }) => {
    const other = store.scope('other')
    for (const id of numbered(3, 'session')) {
      await scope.sessions.create({ id, tags: [id] })
      await other.sessions.create({ id, tags: [id] })
    }
    await refused('invalid', other.sessions.list({ cursor: (await scope.sessions.list({ limit: 1 })).next ?? '' }))
    await refused('invalid', other.tags.list({ cursor: (await scope.tags.list({ limit: 1 })).next ?? '' }))
  },

  'a cursor of another list is invalid': async ({ scope }) => {
    const { session } = await conversation(scope, ...numbered(3))
    for (const id of numbered(3, 'session')) await scope.sessions.create({ id, tags: [id] })
    const ofSessions = (await scope.sessions.list({ limit: 1 })).next ?? ''
    const ofTags = (await scope.tags.list({ limit: 1 })).next ?? ''
    const ofMessages = (await scope.messages.list(session.id, { limit: 1 })).before ?? ''
    await refused('invalid', scope.tags.list({ cursor: ofSessions }))
    await refused('invalid', scope.sessions.list({ cursor: ofTags }))
    await refused('invalid', scope.sessions.list({ cursor: ofMessages }))
    await refused('invalid', scope.messages.list(session.id, { before: ofSessions }))
  },

  "a cursor of another session's or branch's messages is invalid": async ({ scope }) => {
    const { session, messages } = await conversation(scope, ...numbered(3))
    const fork = await scope.sessions.fork(session.id)
    const branch = await scope.branches.create(session.id, { at: nth(messages, 1).id })
    const before = (await scope.messages.list(session.id, { limit: 1 })).before ?? ''
    await refused('invalid', scope.messages.list(fork.id, { before }))
    await refused('invalid', scope.messages.list(session.id, { before, branch: branch.id }))
    expect((await scope.messages.list(session.id, { before })).items).toHaveLength(2)
  },

  'only one of before, after and around may be given': async ({ scope }) => {
    const { session, messages } = await conversation(scope, ...numbered(3))
    const before = (await scope.messages.list(session.id, { limit: 1 })).before ?? ''
    await refused('invalid', scope.messages.list(session.id, { before, after: before }))
    await refused('invalid', scope.messages.list(session.id, { before, around: nth(messages, 0).id }))
  },

  'a cursor tells nothing of what is stored': async ({ scope }) => {
    for (const id of numbered(3, 'session')) await scope.sessions.create({ id, title: 'secret title', agent: 'secret' })
    const cursor = (await scope.sessions.list({ limit: 1, agent: 'secret' })).next ?? ''
    const decoded = Buffer.from(cursor.slice(2), 'base64url').toString()
    expect(`${cursor} ${decoded}`).not.toContain('secret')
  },
})
