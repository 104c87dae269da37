import { expect } from 'vitest'
import { group } from '../behaviour.js'
import { answers, conversation, nth, path, say, says, textOf } from '../tools/content.js'
import { refused } from '../tools/refusals.js'

export const rewind = group('rewind, edit and regenerate', {
  'a rewind ends the visible path at a message and keeps the old branch': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two', 'three')
    const branch = await scope.branches.rewind(session.id, { at: nth(messages, 0).id, createdBy: 'user-1' })
    expect(branch).toMatchObject({
      session: session.id,
      active: true,
      origin: 'rewind',
      base: 1,
      head: 1,
      parent: session.activeBranch,
      replaces: session.activeBranch,
      createdBy: 'user-1',
    })
    expect(await path(scope, session)).toEqual(['one'])
    expect(await path(scope, session, session.activeBranch)).toEqual(['one', 'two', 'three'])
    expect((await scope.sessions.get(session.id)).messageCount).toBe(1)
    expect(textOf(await scope.messages.get(nth(messages, 2).id))).toBe('three')
  },

  'a rewind to null empties the visible path': async ({ scope }) => {
    const { session } = await conversation(scope, 'one', 'two')
    await scope.branches.rewind(session.id, { at: null })
    expect(await path(scope, session)).toEqual([])
    await say(scope, session, 'anew')
    expect(await path(scope, session)).toEqual(['anew'])
  },

  'undo returns to the branch that was replaced': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    await scope.branches.rewind(session.id, { at: nth(messages, 0).id })
    await say(scope, session, 'other two')
    const restored = await scope.branches.undo(session.id)
    expect(restored).toMatchObject({ id: session.activeBranch, active: true })
    expect(await path(scope, session)).toEqual(['one', 'two'])
  },

  'rewinds are undone one by one, newest first': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two', 'three')
    await scope.branches.rewind(session.id, { at: nth(messages, 1).id })
    await scope.branches.rewind(session.id, { at: nth(messages, 0).id })
    expect(await path(scope, session)).toEqual(['one'])
    await scope.branches.undo(session.id)
    expect(await path(scope, session)).toEqual(['one', 'two'])
    await scope.branches.undo(session.id)
    expect(await path(scope, session)).toEqual(['one', 'two', 'three'])
  },

  'undo with nothing to undo is conflict': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    await refused('conflict', scope.branches.undo(session.id))
    await scope.branches.rewind(session.id, { at: nth(messages, 0).id })
    await scope.branches.undo(session.id)
    await refused('conflict', scope.branches.undo(session.id))
    expect(await path(scope, session)).toEqual(['one', 'two'])
  },

  'a rewind to a message that the session does not show is not_found': async ({ scope }) => {
    const { session } = await conversation(scope, 'one', 'two', 'three')
    const stranger = await conversation(scope, 'elsewhere')
    await refused('not_found', scope.branches.rewind(session.id, { at: nth(stranger.messages, 0).id }))
    await refused('not_found', scope.branches.edit(session.id, nth(stranger.messages, 0).id, says('mine now')))
    await refused('not_found', scope.branches.regenerate(session.id, nth(stranger.messages, 0).id))
    await refused('not_found', scope.branches.siblings(session.id, nth(stranger.messages, 0).id))
    expect(await scope.branches.list(session.id)).toHaveLength(1)
  },

  'an edit replaces a message on a new active branch': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two', 'three')
    const edited = await scope.branches.edit(session.id, nth(messages, 1).id, says('better two'))
    expect(edited).toMatchObject({ session: session.id, position: 2, role: 'user' })
    expect(await scope.messages.get(edited.id)).toStrictEqual(edited)
    expect(await path(scope, session)).toEqual(['one', 'better two'])
    expect(await path(scope, session, session.activeBranch)).toEqual(['one', 'two', 'three'])
    const branch = await scope.branches.get(edited.branch)
    expect(branch).toMatchObject({ origin: 'edit', active: true, base: 1, head: 2, replaces: session.activeBranch })
  },

  'the first message can be edited': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    const edited = await scope.branches.edit(session.id, nth(messages, 0).id, says('better one'))
    expect(edited.position).toBe(1)
    expect(await path(scope, session)).toEqual(['better one'])
    await scope.branches.undo(session.id)
    expect(await path(scope, session)).toEqual(['one', 'two'])
  },

  'a refused edit leaves no branch behind': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one')
    const taken = await conversation(scope, 'elsewhere')
    const input = says('again', { id: nth(taken.messages, 0).id })
    await refused('conflict', scope.branches.edit(session.id, nth(messages, 0).id, input))
    expect(await scope.branches.list(session.id)).toHaveLength(1)
    expect(await path(scope, session)).toEqual(['one'])
  },

  'regenerate ends before the message, ready for another answer': async ({ scope }) => {
    const { session } = await conversation(scope, 'question')
    const answer = await scope.messages.append(session.id, answers('weak'))
    const branch = await scope.branches.regenerate(session.id, answer.id)
    expect(branch).toMatchObject({ origin: 'regenerate', active: true, base: 1, head: 1 })
    expect(await path(scope, session)).toEqual(['question'])
    const better = await scope.messages.append(session.id, answers('strong'))
    expect(better).toMatchObject({ position: 2, branch: branch.id })
    await scope.branches.undo(session.id)
    expect(await path(scope, session)).toEqual(['question', 'weak'])
  },

  'siblings are the messages that follow the same message, oldest first': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two', 'three')
    const second = await scope.branches.edit(session.id, nth(messages, 1).id, says('second two'))
    const third = await scope.branches.edit(session.id, second.id, says('third two'))
    const expected = [
      { branch: session.activeBranch, message: nth(messages, 1).id, active: false },
      { branch: second.branch, message: second.id, active: false },
      { branch: third.branch, message: third.id, active: true },
    ]
    for (const message of [nth(messages, 1), second, third])
      expect(await scope.branches.siblings(session.id, message.id)).toStrictEqual(expected)
  },

  'the first messages of a session are siblings of each other': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one')
    const other = await scope.branches.edit(session.id, nth(messages, 0).id, says('other one'))
    const siblings = await scope.branches.siblings(session.id, other.id)
    expect(siblings.map(({ message }) => message)).toEqual([nth(messages, 0).id, other.id])
  },

  'a message without siblings is its own only sibling': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two')
    const siblings = await scope.branches.siblings(session.id, nth(messages, 1).id)
    expect(siblings).toStrictEqual([{ branch: session.activeBranch, message: nth(messages, 1).id, active: true }])
  },

  'a sibling switches the branch': async ({ scope }) => {
    const { session, messages } = await conversation(scope, 'one', 'two', 'three')
    await scope.branches.edit(session.id, nth(messages, 1).id, says('other two'))
    const [first] = await scope.branches.siblings(session.id, nth(messages, 1).id)
    await scope.branches.activate(first?.branch ?? '')
    expect(await path(scope, session)).toEqual(['one', 'two', 'three'])
  },
})
