import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { nth } from '../tools/content.js'
import { outcomes, refused } from '../tools/refusals.js'
import { scopesOf } from '../tools/stores.js'

export const status = group('status', {
  'a change of status is in the session and in its history': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    clock.advance(5)
    const running = await scope.sessions.setStatus(session.id, { from: 'idle', to: 'running', reason: 'asked \u0000' })
    expect(running).toMatchObject({ status: 'running', statusReason: 'asked \u0000' })
    expect(await scope.sessions.get(session.id)).toStrictEqual(running)
    const history = await scope.sessions.statusHistory(session.id)
    expect(history).toStrictEqual([
      { seq: nth(history, 0).seq, from: 'idle', to: 'running', reason: 'asked \u0000', override: false, at: clock() },
    ])
  },

  'a change from another status than the one expected is conflict and leaves no trace': async ({ scope }) => {
    const session = await scope.sessions.create()
    await refused('conflict', scope.sessions.setStatus(session.id, { from: 'running', to: 'waiting' }))
    await refused('conflict', scope.sessions.setStatus(session.id, { from: ['running', 'waiting'], to: 'failed' }))
    expect(await scope.sessions.get(session.id)).toStrictEqual(session)
    expect(await scope.sessions.statusHistory(session.id)).toEqual([])
  },

  'a change may expect one of several statuses': async ({ scope }) => {
    const session = await scope.sessions.create()
    await scope.sessions.setStatus(session.id, { from: 'idle', to: 'waiting' })
    const done = await scope.sessions.setStatus(session.id, { from: ['running', 'waiting'], to: 'completed' })
    expect(done.status).toBe('completed')
    expect((await scope.sessions.statusHistory(session.id)).map(({ from }) => from)).toEqual(['idle', 'waiting'])
  },

  'a terminal status changes only with an override, which the history records': async ({ scope }) => {
    for (const terminal of ['completed', 'failed', 'cancelled'] as const) {
      const session = await scope.sessions.create()
      await scope.sessions.setStatus(session.id, { from: 'idle', to: terminal })
      await refused('conflict', scope.sessions.setStatus(session.id, { from: terminal, to: 'idle' }))
      expect((await scope.sessions.get(session.id)).status).toBe(terminal)
      await scope.sessions.setStatus(session.id, { from: terminal, to: 'idle', override: true })
      const history = await scope.sessions.statusHistory(session.id)
      expect(history.map(({ to, override }) => ({ to, override }))).toEqual([
        { to: terminal, override: false },
        { to: 'idle', override: true },
      ])
    }
  },

  'the first run sets the start, and a terminal status the end': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    clock.advance(10)
    const started = await scope.sessions.setStatus(session.id, { from: 'idle', to: 'running' })
    expect(started).toMatchObject({ startedAt: clock(), endedAt: null })
    clock.advance(10)
    await scope.sessions.setStatus(session.id, { from: 'running', to: 'idle' })
    await scope.sessions.setStatus(session.id, { from: 'idle', to: 'running' })
    const ended = await scope.sessions.setStatus(session.id, { from: 'running', to: 'completed' })
    expect(ended).toMatchObject({ startedAt: started.startedAt, endedAt: clock() })
  },

  'of changes at the same time that expect the same status one succeeds': async (context) => {
    const { scope } = context
    const session = await scope.sessions.create()
    const scopes = await scopesOf(context, 5)
    const change = { from: 'idle', to: 'running' } as const
    const { succeeded, codes } = await outcomes(scopes.map((one) => one.sessions.setStatus(session.id, change)))
    expect(succeeded).toHaveLength(1)
    expect(codes).toEqual(['conflict', 'conflict', 'conflict', 'conflict'])
    expect(await scope.sessions.statusHistory(session.id)).toHaveLength(1)
  },

  'a reason belongs to its status and leaves with it': async ({ scope }) => {
    const session = await scope.sessions.create()
    await scope.sessions.setStatus(session.id, { from: 'idle', to: 'waiting', reason: 'for a human' })
    await scope.sessions.setStatus(session.id, { from: 'waiting', to: 'running' })
    expect((await scope.sessions.get(session.id)).statusReason).toBeNull()
  },

  'the history is read in pages, oldest first': async ({ scope }) => {
    const session = await scope.sessions.create()
    for (const [from, to] of [
      ['idle', 'running'],
      ['running', 'waiting'],
      ['waiting', 'idle'],
    ] as const) {
      await scope.events.add(session.id, { type: 'noise' })
      await scope.sessions.setStatus(session.id, { from, to })
    }
    const first = await scope.sessions.statusHistory(session.id, { limit: 2 })
    expect(first.map(({ to }) => to)).toEqual(['running', 'waiting'])
    const rest = await scope.sessions.statusHistory(session.id, { after: nth(first, 1).seq })
    expect(rest.map(({ to }) => to)).toEqual(['idle'])
  },

  'a status is no activity': async ({ scope, clock }) => {
    const session = await scope.sessions.create()
    clock.advance(10)
    const running = await scope.sessions.setStatus(session.id, { from: 'idle', to: 'waiting' })
    expect(running.lastActivityAt).toBe(session.lastActivityAt)
  },
})
