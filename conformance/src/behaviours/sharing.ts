import { expect } from 'vitest'
import { group, type Requirement } from '../behaviour.js'
import { conversation, nth, path, says } from '../tools/content.js'
import { outcomes } from '../tools/refusals.js'

const shared: Requirement = {
  missing: 'shared with nobody',
  met: ({ sharing }) => sharing !== 'none',
}

export const sharing = group(
  'two stores on one storage',
  {
    'what one store writes the other reads at once': async ({ scope, open }) => {
      const other = (await open()).scope('workspace')
      const session = await scope.sessions.create({ title: 'shared' })
      expect(await other.sessions.get(session.id)).toStrictEqual(session)
      const message = await other.messages.append(session.id, says('from the other'))
      expect(await scope.messages.get(message.id)).toStrictEqual(message)
      await scope.sessions.delete(session.id)
      expect(await other.sessions.count()).toBe(0)
    },

    'appends of two stores at the same time have no gap': async ({ scope, open }) => {
      const other = (await open()).scope('workspace')
      const session = await scope.sessions.create()
      const writers = [scope, other]
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => nth(writers, index % 2).messages.append(session.id, says(`${index}`))),
      )
      const { items } = await other.messages.list(session.id)
      expect(items.map(({ position }) => position)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
      const seqs = (await scope.events.list(session.id)).map(({ seq }) => seq)
      expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    },

    'of two stores that append after the same message one succeeds': async ({ scope, open }) => {
      const other = (await open()).scope('workspace')
      const { session, messages } = await conversation(scope, 'one')
      const after = nth(messages, 0).id
      const { succeeded, codes } = await outcomes([
        scope.messages.append(session.id, says('mine'), { after }),
        other.messages.append(session.id, says('theirs'), { after }),
      ])
      expect(succeeded).toHaveLength(1)
      expect(codes).toEqual(['conflict'])
      expect(await path(scope, session)).toHaveLength(2)
    },

    'closing one store leaves the other open': async ({ scope, open }) => {
      const other = await open()
      const session = await scope.sessions.create()
      await other.close()
      await scope.messages.append(session.id, says('still here'))
      expect(await path(scope, session)).toEqual(['still here'])
    },
  },
  shared,
)
