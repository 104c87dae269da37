import { expect } from 'vitest'
import { group, type Requirement } from '../behaviour.js'
import { withChildren } from '../children.js'
import { collect, conversation, nth, numbered, path, says, textOf } from '../tools/content.js'
import { refused } from '../tools/refusals.js'
import { rowsOf } from '../tools/rows.js'

const acrossProcesses: Requirement = {
  missing: 'not shared between processes',
  met: ({ sharing }) => sharing === 'machine' || sharing === 'network',
}

export const processes = group(
  'processes',
  {
    'two processes append to one session in turn and see each other': async ({ harness, place, scope }) => {
      const session = await scope.sessions.create()
      const there = { scope: scope.id, session: session.id }
      await withChildren(harness, place, 1, async (children) => {
        const child = nth(children, 0)
        const expected: string[] = []
        for (let turn = 0; turn < 5; turn++) {
          const mine = await scope.messages.append(session.id, says(`parent ${turn}`))
          const [theirs] = await child.ask({ kind: 'append', ...there, text: `child ${turn}` })
          expect(theirs?.position).toBe(mine.position + 1)
          expected.push(`parent ${turn}`, `child ${turn}`)
          expect((await child.ask({ kind: 'read', ...there })).map(textOf)).toEqual(expected)
          expect(await path(scope, session)).toEqual(expected)
        }
      })
    },

    'processes that append at the same time leave no gap and lose nothing': async ({
      harness,
      place,
      store,
      scope,
    }) => {
      const session = await scope.sessions.create()
      const task = { kind: 'append-many', scope: scope.id, session: session.id, count: 25 } as const
      const appended = await withChildren(harness, place, 3, async (children) =>
        Promise.all(children.map((child) => child.ask(task))),
      )
      const messages = await collect(scope.messages.iterate(session.id))
      expect(messages.map(({ position }) => position)).toEqual(Array.from({ length: 75 }, (_, index) => index + 1))
      expect(messages).toStrictEqual(appended.flat().toSorted((a, b) => a.position - b.position))
      const seqs = (await scope.events.list(session.id, { limit: 1000 })).map(({ seq }) => seq)
      expect(seqs).toEqual(seqs.map((_, index) => index + 1))
      expect((await store.admin.integrity()).problems).toEqual([])
    },

    'a call repeated by another process is a replay': async ({ harness, place, scope }) => {
      const session = await scope.sessions.create()
      const stored = await scope.messages.append(session.id, says('once', { id: 'm' }))
      await withChildren(harness, place, 1, async (children) => {
        const task = { kind: 'append', scope: scope.id, session: session.id, text: 'once', id: 'm' } as const
        expect(await nth(children, 0).ask(task)).toStrictEqual([stored])
      })
      expect(await path(scope, session)).toEqual(['once'])
    },

    'what was acknowledged survives the death of the process': async ({ harness, place, store, scope }) => {
      const session = await scope.sessions.create()
      const task = { kind: 'append-until-killed', scope: scope.id, session: session.id } as const
      const acknowledged = await withChildren(harness, place, 1, (children) => nth(children, 0).killAfter(30, task))
      const messages = await collect(scope.messages.iterate(session.id))
      expect(messages.map(({ id }) => id).slice(0, acknowledged.length)).toEqual(acknowledged)
      expect(messages.map(textOf)).toEqual(messages.map((_, index) => `${index}`))
      expect((await scope.sessions.get(session.id)).messageCount).toBe(messages.length)
      expect(await scope.events.list(session.id, { type: 'message', limit: 1000 })).toHaveLength(messages.length)
      expect((await store.admin.integrity()).problems).toEqual([])
    },

    'a deletion that a crash interrupted is finished by a sweep': async ({ harness, place, store, scope }) => {
      await conversation(scope, 'stays')
      const before = await rowsOf(store)
      const session = await scope.sessions.create()
      await scope.messages.appendAll(
        session.id,
        numbered(5000).map((text) => says(text)),
      )
      const isGone = async () => (await scope.sessions.count()) === 1
      await withChildren(harness, place, 1, (children) =>
        nth(children, 0).killWhen(isGone, { kind: 'delete', scope: scope.id, session: session.id }),
      )
      await refused('not_found', scope.sessions.get(session.id))
      await store.admin.sweep()
      expect((await store.admin.integrity()).problems).toEqual([])
      expect(await rowsOf(store)).toBe(before)
    },

    'a store that another process closed stays open here': async ({ harness, place, scope }) => {
      const session = await scope.sessions.create()
      await withChildren(harness, place, 1, async (children) => {
        await nth(children, 0).ask({ kind: 'append', scope: scope.id, session: session.id, text: 'there' })
        await nth(children, 0).ask({ kind: 'close' })
      })
      await scope.messages.append(session.id, says('here'))
      expect(await path(scope, session)).toEqual(['there', 'here'])
    },
  },
  acrossProcesses,
)
