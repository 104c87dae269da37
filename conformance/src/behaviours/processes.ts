import { expect } from 'vitest'
import { group, type Requirement } from '../behaviour.js'
import { callsIn } from '../calls.js'
import { withChildren } from '../children.js'
import { collect, conversation, nth, numbered, path, says, textOf } from '../tools/content.js'
import { ask } from '../tools/outcomes.js'
import { refused } from '../tools/refusals.js'
import { rowsOf } from '../tools/rows.js'
import { isSharedBetweenProcesses } from '../workers.js'

const acrossProcesses: Requirement = {
  missing: 'not shared between processes',
  met: isSharedBetweenProcesses,
}

export const processes = group(
  'processes',
  {
    'two processes append to one session in turn and see each other': async ({ harness, place, scope }) => {
      const session = await scope.sessions.create()
      const { messages } = callsIn(scope.id)
      await withChildren(harness, place, 1, async (children) => {
        const child = nth(children, 0)
        const expected: string[] = []
        for (let turn = 0; turn < 5; turn++) {
          const mine = await scope.messages.append(session.id, says(`parent ${turn}`))
          const theirs = await ask(child, messages.append(session.id, says(`child ${turn}`)))
          expect(theirs.position).toBe(mine.position + 1)
          expected.push(`parent ${turn}`, `child ${turn}`)
          expect((await ask(child, messages.list(session.id))).items.map(textOf)).toEqual(expected)
          expect(await path(scope, session)).toEqual(expected)
        }
      })
    },

    'a call repeated by another process is a replay': async ({ harness, place, scope }) => {
      const session = await scope.sessions.create()
      const stored = await scope.messages.append(session.id, says('once', { id: 'm' }))
      await withChildren(harness, place, 1, async (children) => {
        const repeated = callsIn(scope.id).messages.append(session.id, says('once', { id: 'm' }))
        expect(await ask(nth(children, 0), repeated)).toStrictEqual(stored)
      })
      expect(await path(scope, session)).toEqual(['once'])
    },

    'what was acknowledged survives the death of the process': async ({ harness, place, store, scope }) => {
      const session = await scope.sessions.create()
      const acknowledged = await withChildren(harness, place, 1, (children) =>
        nth(children, 0).killAfter(30, scope.id, session.id),
      )
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
        nth(children, 0).killWhen(isGone, [callsIn(scope.id).sessions.delete(session.id)]),
      )
      await refused('not_found', scope.sessions.get(session.id))
      await store.admin.sweep()
      expect((await store.admin.integrity()).problems).toEqual([])
      expect(await rowsOf(store)).toBe(before)
    },

    'a store that another process closed stays open here': async ({ harness, place, scope }) => {
      const session = await scope.sessions.create()
      await withChildren(harness, place, 1, async (children) => {
        await ask(nth(children, 0), callsIn(scope.id).messages.append(session.id, says('there')))
        await nth(children, 0).close()
      })
      await scope.messages.append(session.id, says('here'))
      expect(await path(scope, session)).toEqual(['there', 'here'])
    },
  },
  acrossProcesses,
)
