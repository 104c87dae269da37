import { expect } from 'vitest'
import { group, type Requirement } from '../behaviour.js'
import { createWorld } from '../construction/world.js'
import { conversation, says } from '../tools/content.js'
import { dump } from '../tools/dump.js'

const durable: Requirement = { missing: 'not durable', met: (capabilities) => capabilities.durable }

export const reopening = group(
  'reopening',
  {
    'everything reads the same after closing and opening again': async ({ store, scope, open }) => {
      await createWorld(scope, 'mine', 'mark')
      await scope.sessions.delete('mine-session')
      await createWorld(store.scope('other'), 'mine', 'mark')
      const before = [await dump(scope), await dump(store.scope('other'))]
      await store.close()
      const again = await open()
      expect([await dump(again.scope('workspace')), await dump(again.scope('other'))]).toEqual(before)
      expect((await again.admin.integrity()).problems).toEqual([])
    },

    'what was under way when a store was closed is there when it is opened again': async ({ store, scope, open }) => {
      const { session } = await conversation(scope, 'one')
      const underWay = Array.from({ length: 10 }, (_, index) => scope.messages.append(session.id, says(`${index}`)))
      await store.close()
      const appended = await Promise.all(underWay)
      const again = (await open()).scope('workspace')
      for (const message of appended) expect(await again.messages.get(message.id)).toStrictEqual(message)
    },

    'a replay is recognised by a store that was opened again': async ({ store, scope, open }) => {
      const session = await scope.sessions.create({ id: 's', metadata: { b: 1, a: 2 } })
      const message = await scope.messages.append('s', says('one', { id: 'm' }))
      await store.close()
      const again = (await open()).scope('workspace')
      expect(await again.sessions.create({ metadata: { a: 2, b: 1 }, id: 's' })).toStrictEqual({
        ...session,
        messageCount: 1,
      })
      expect(await again.messages.append('s', says('one', { id: 'm' }))).toStrictEqual(message)
    },

    'a cursor is good in a store that was opened again': async ({ store, scope, open }) => {
      for (const id of ['a', 'b', 'c']) await scope.sessions.create({ id })
      const { next } = await scope.sessions.list({ limit: 2, order: 'oldest' })
      await store.close()
      const again = (await open()).scope('workspace')
      const page = await again.sessions.list({ cursor: next ?? '', order: 'oldest' })
      expect(page.items.map(({ id }) => id)).toEqual(['c'])
    },
  },
  durable,
)
