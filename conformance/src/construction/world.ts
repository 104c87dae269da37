import type { Scope } from '@holdfast/core'
import { answers, calls, says } from '../tools/content.js'

/** A small scope with one of everything, by whose ids every operation can be called. */
export interface World {
  readonly session: string
  /** The branch that is active. It replaced another one. */
  readonly active: string
  /** A branch that is not active, with a message of its own at its end. */
  readonly branch: string
  readonly branchHead: string
  /** The first message of every branch. */
  readonly message: string
  /** A message that is still streaming. */
  readonly open: string
  /** A tool call that waits for its output. */
  readonly toolCallId: string
  readonly fork: string
}

/**
 * Fills a scope. Everything in it bears the mark, so that a reader of another scope that sees the mark has seen too much.
 * Two worlds with the same prefix have the same ids wherever a caller may choose them.
 */
export async function createWorld(scope: Scope, prefix: string, mark: string): Promise<World> {
  const session = `${prefix}-session`
  await scope.sessions.create({
    id: session,
    title: `${mark} title`,
    agent: mark,
    summary: mark,
    metadata: { mark },
    tags: [`${mark}-tag`],
    folders: [`${mark}/folder`],
    participants: [{ userId: mark }],
  })
  const message = await scope.messages.append(session, says(`${mark} one`, { id: `${prefix}-first` }))
  await scope.messages.append(session, { ...calls(`${prefix}-call`, { mark }), id: `${prefix}-second` })
  const open = await scope.messages.append(session, answers(mark, { id: `${prefix}-third`, status: 'streaming' }))
  const branch = await scope.branches.create(session, { id: `${prefix}-branch`, at: message.id, name: mark })
  const branchHead = await scope.messages.append(session, says(`${mark} two`, { id: `${prefix}-head` }), {
    branch: branch.id,
  })
  const active = await scope.branches.rewind(session, { id: `${prefix}-active`, at: open.id })
  await scope.events.add(session, { id: `${prefix}-event`, type: 'mark', payload: { mark } })
  const fork = await scope.sessions.fork(session, { id: `${prefix}-fork`, at: message.id })
  return {
    session,
    active: active.id,
    branch: branch.id,
    branchHead: branchHead.id,
    message: message.id,
    open: open.id,
    toolCallId: `${prefix}-call`,
    fork: fork.id,
  }
}
