import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { conversation, nth, path, says } from '../tools/content.js'
import { dump } from '../tools/dump.js'
import { refused } from '../tools/refusals.js'
import { unhandledDuring } from '../tools/unhandled.js'

export const batch = group('batch', {
  'a batch makes several writes one and gives what the builder returned': async ({ scope }) => {
    const { session: old } = await conversation(scope, 'old')
    const branch = await scope.branches.create(old.id, { at: null })
    const ids = await scope.batch((write) => {
      const session = write.sessions.create({ title: 'Trip' })
      const first = write.messages.append(session.id, says('one'))
      const more = write.messages.appendAll(session.id, [says('two'), says('three')], { after: first.id })
      write.tags.add(session.id, ['a', 'b'])
      write.tags.remove(session.id, ['a'])
      write.folders.set(session.id, ['f'])
      const event = write.events.add(session.id, { type: 'signal', message: first.id })
      const spent = write.sessions.addUsage(session.id, { input: 5 })
      write.branches.activate(old.id, branch.id)
      write.sessions.touch(old.id)
      return {
        session: session.id,
        messages: [first.id, ...more.map(({ id }) => id)],
        event: event.id,
        spent: spent.id,
      }
    })
    const session = await scope.sessions.get(ids.session)
    expect(session).toMatchObject({ title: 'Trip', messageCount: 3, usage: { input: 5 } })
    expect((await scope.messages.list(session.id)).items.map(({ id }) => id)).toEqual(ids.messages)
    expect(await scope.tags.of(session.id)).toEqual(['b'])
    expect(await scope.folders.of(session.id)).toEqual(['f'])
    expect((await scope.events.latest(session.id, 'signal'))?.id).toBe(ids.event)
    expect((await scope.events.latest(session.id, 'usage'))?.id).toBe(ids.spent)
    expect((await scope.sessions.get(old.id)).activeBranch).toBe(branch.id)
  },

  'a batch of which one write is refused writes nothing': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one')
    const before = await dump(scope)
    const late = scope.batch((write) => {
      const created = write.sessions.create({ id: 'new' })
      write.messages.append(created.id, says('lost'))
      write.tags.set(session.id, ['lost'])
      write.messages.append(session.id, says('two'), { after: null })
    })
    await refused('conflict', late)
    const missing = scope.batch((write) => {
      write.messages.append(session.id, says('lost'))
      write.sessions.delete(session.id)
      write.messages.append('never', says('lost'))
    })
    await refused('not_found', missing)
    const taken = scope.batch((write) => {
      write.sessions.addUsage(session.id, { input: 1 })
      write.messages.append(session.id, says('other words', { id: nth(messages, 0).id }))
    })
    await refused('conflict', taken)
    expect(await dump(scope)).toEqual(before)
  },

  'a batch with an invalid write writes nothing': async ({ scope }) => {
    const { session } = await conversation(scope, 'one')
    const before = await dump(scope)
    const attempt = scope.batch((write) => {
      write.messages.append(session.id, says('lost'))
      write.tags.add(session.id, ['  '])
    })
    await refused('invalid', attempt)
    expect(await dump(scope)).toEqual(before)
  },

  'what the builder throws is thrown, and nothing is written': async ({ scope }) => {
    const { session } = await conversation(scope, 'one')
    const before = await dump(scope)
    const mine = new Error('changed my mind')
    const attempt = scope.batch((write) => {
      write.messages.append(session.id, says('lost'))
      throw mine
    })
    await expect(attempt).rejects.toBe(mine)
    expect(await dump(scope)).toEqual(before)
  },

  'an asynchronous builder is invalid': async ({ scope }) => {
    const attempt = scope.batch(async (write) => {
      write.sessions.create({ id: 'lost' })
    })
    await refused('invalid', attempt)
    expect(await scope.sessions.count()).toBe(0)
  },

  'an asynchronous builder that fails is invalid and nothing else': async ({ scope }) => {
    const unhandled = await unhandledDuring(async () => {
      const attempt = scope.batch(async (write) => {
        write.sessions.create({ id: 'lost' })
        throw new Error('nobody waits for this')
      })
      await refused('invalid', attempt)
    })
    expect(unhandled).toEqual([])
    expect(await scope.sessions.count()).toBe(0)
  },

  'a batch is over when its builder has returned': async ({ scope }) => {
    const session = await scope.sessions.create()
    const kept = await scope.batch((write) => write)
    expect(() => kept.messages.append(session.id, says('late'))).toThrow()
    expect(await path(scope, session)).toEqual([])
  },

  'an empty batch writes nothing and succeeds': async ({ scope }) => {
    expect(await scope.batch(() => 7)).toBe(7)
    expect(await scope.sessions.count()).toBe(0)
  },

  'a later write of a batch sees an earlier one': async ({ scope }) => {
    await conversation(scope, 'other')
    await scope.sessions.create({ id: 's' })
    await scope.batch((write) => {
      write.sessions.delete('s')
      write.sessions.create({ id: 's', title: 'again' })
      write.messages.append('s', says('one'), { after: null })
    })
    expect(await scope.sessions.get('s')).toMatchObject({ title: 'again', messageCount: 1 })
  },

  'a repeated batch writes nothing': async ({ scope }) => {
    const again = () =>
      scope.batch((write) => {
        const session = write.sessions.create({ id: 's', title: 'Trip' })
        write.messages.append(session.id, says('one', { id: 'm' }))
        write.events.add(session.id, { id: 'e', type: 'signal' })
        write.sessions.addUsage(session.id, { id: 'u', input: 1 })
        return session.id
      })
    expect(await again()).toBe('s')
    const before = await dump(scope)
    expect(await again()).toBe('s')
    expect(await dump(scope)).toEqual(before)
  },

  'a batch that creates only what is stored already does all the rest': async ({ scope }) => {
    const { session: old } = await conversation(scope, 'one')
    const branch = await scope.branches.create(old.id, { at: null })
    await scope.sessions.create({ id: 's' })
    await scope.sessions.create({ id: 'doomed' })
    await scope.batch((write) => {
      write.sessions.create({ id: 's' })
      write.tags.set('s', ['a', 'b'])
      write.tags.remove('s', ['a'])
      write.folders.add('s', ['f'])
      write.branches.activate(old.id, branch.id)
      write.sessions.delete('doomed')
    })
    expect(await scope.tags.of('s')).toEqual(['b'])
    expect(await scope.folders.of('s')).toEqual(['f'])
    expect((await scope.sessions.get(old.id)).activeBranch).toBe(branch.id)
    await refused('not_found', scope.sessions.get('doomed'))
  },

  'a repeated batch leaves everything as the first one did, whatever is in it': async ({ scope }) => {
    const { session: old } = await conversation(scope, 'one')
    const other = await scope.branches.create(old.id, { at: null })
    await scope.sessions.create({ id: 'doomed', tags: ['t'] })
    const again = () =>
      scope.batch((write) => {
        write.tags.add('doomed', ['late'])
        write.sessions.delete('doomed')
        write.messages.append(old.id, says('two', { id: 'm' }), { branch: old.activeBranch })
        write.branches.activate(old.id, old.activeBranch)
        write.branches.activate(old.id, other.id)
        write.tags.set(old.id, ['a'])
        write.sessions.touch(old.id)
      })
    await again()
    const before = await dump(scope)
    await again()
    expect(await dump(scope)).toEqual(before)
  },

  'a repeated batch does not delete what it has created since': async ({ scope }) => {
    await scope.sessions.create({ id: 's', title: 'old' })
    const again = () =>
      scope.batch((write) => {
        write.sessions.delete('s')
        write.sessions.create({ id: 's', title: 'new' })
        write.messages.append('s', says('one', { id: 'm' }))
      })
    await again()
    await scope.messages.append('s', says('since'))
    await again()
    expect(await scope.sessions.get('s')).toMatchObject({ title: 'new', messageCount: 2 })
    expect(await path(scope, 's')).toEqual(['one', 'since'])
  },

  'a repeated batch that writes to what is gone is not_found and writes nothing': async ({ scope }) => {
    await scope.sessions.create({ id: 's' })
    await scope.sessions.create({ id: 'other' })
    const again = () =>
      scope.batch((write) => {
        write.messages.append('s', says('one', { id: 'm' }))
        write.tags.set('s', ['a'])
        write.tags.set('other', ['a'])
      })
    await again()
    await scope.tags.set('s', [])
    await scope.sessions.delete('other')
    const before = await dump(scope)
    await refused('not_found', again())
    expect(await dump(scope)).toEqual(before)
  },

  'two writes of one batch under one id are conflict': async ({ scope }) => {
    await scope.sessions.create({ id: 's' })
    const before = await dump(scope)
    const messages = scope.batch((write) => {
      write.messages.append('s', says('one', { id: 'm' }))
      write.messages.append('s', says('one', { id: 'm' }))
    })
    await refused('conflict', messages)
    const sessions = scope.batch((write) => {
      write.sessions.create({ id: 'new', externalRef: 'x' })
      write.sessions.create({ id: 'newer', externalRef: 'x' })
    })
    await refused('conflict', sessions)
    expect(await dump(scope)).toEqual(before)
  },

  'a batch of which some is stored already is conflict': async ({ scope }) => {
    await scope.sessions.create({ id: 's' })
    await scope.messages.append('s', says('one', { id: 'm1' }))
    const before = await dump(scope)
    const attempt = scope.batch((write) => {
      write.messages.append('s', says('one', { id: 'm1' }))
      write.messages.append('s', says('two', { id: 'm2' }))
    })
    await refused('conflict', attempt)
    expect(await dump(scope)).toEqual(before)
  },
})
