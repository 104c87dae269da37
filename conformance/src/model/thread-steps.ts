import type { AppendOptions, MessageInput } from '@holdfast/core'
import {
  addBranch,
  addMessage,
  type NaiveBranch,
  type NaiveMessage,
  type NaiveSession,
  pathTo,
  shown,
} from './naive.js'
import { type Choices, never, type World } from './world.js'

// Steps that write messages and move between branches. Each decides with the model what must happen, lets the backend
// do it, and only then changes the model.

type Step = (world: World, choices: Choices) => Promise<void>

/** Few enough to be repeated, and mostly none, so that most steps write something new. */
const ids = ['m0', 'm1', 'm2', ...new Array<undefined>(7)]

function someMessage(choices: Choices): MessageInput {
  const id = choices.of(ids)
  const text = choices.of(['alpha', 'beta'])
  const call = choices.of([undefined, undefined, 'c0', 'c1'])
  return {
    ...(id !== undefined && { id }),
    role: choices.of(['user', 'assistant']),
    status: choices.of(['complete', 'complete', 'streaming'] as const),
    parts: [
      { type: 'text', text },
      ...(call === undefined ? [] : [{ type: 'tool-x', toolCallId: call, state: 'input-available', input: text }]),
    ],
  }
}

function saidOf({ id: _, ...said }: MessageInput, edited?: string): string {
  return JSON.stringify({ ...said, edited })
}

/** Whether a message under this id is stored by the same input in the same session, by another, or not at all. */
function storedAs(
  world: World,
  session: NaiveSession,
  input: MessageInput,
  said = saidOf(input),
): 'same' | 'other' | 'none' {
  const stored = input.id === undefined ? undefined : world.model.message(input.id)
  if (stored === undefined) return 'none'
  return stored.owner === session && world.model.isThere(session) && stored.said === said ? 'same' : 'other'
}

function remember(
  world: World,
  session: NaiveSession,
  branch: NaiveBranch,
  input: MessageInput,
  id: string,
  said = saidOf(input),
): void {
  const { role, status = 'complete', parts } = input
  addMessage(world.model, session, branch, { id, role, status, parts, said })
  session.lastActivityAt = Math.max(session.lastActivityAt, world.clock())
}

function anyMessage(session: NaiveSession, choices: Choices): NaiveMessage | undefined {
  return choices.maybe(shown(session))
}

const append: Step = async (world, choices) => {
  const session = world.session(choices)
  const input = someMessage(choices)
  const branch = session && choices.of([session.active, session.active, ...session.branches])
  const last = branch?.path.at(-1)?.id ?? null
  const after = choices.of([undefined, undefined, last, never])
  const options: AppendOptions = {
    ...(branch !== session?.active && { branch: branch?.id }),
    ...(after !== undefined && { after }),
  }
  const call = world.scope.messages.append(session?.id ?? never, input, options)
  if (session === undefined || branch === undefined) return void (await world.agree('not_found', call))
  const stored = storedAs(world, session, input)
  if (stored === 'other') return void (await world.agree('conflict', call))
  if (stored === 'same') return void (await world.agree('success', call))
  if (after !== undefined && after !== last) return void (await world.agree('conflict', call))
  const message = await world.agree('success', call)
  if (message) remember(world, session, branch, input, message.id)
}

const appendAll: Step = async (world, choices) => {
  const session = world.session(choices)
  const inputs = [someMessage(choices), someMessage(choices)]
  const call = world.scope.messages.appendAll(session?.id ?? never, inputs)
  const [first, second] = inputs
  if (first?.id !== undefined && first.id === second?.id) return void (await world.agree('conflict', call))
  if (session === undefined) return void (await world.agree('not_found', call))
  const stored = inputs.map((input) => storedAs(world, session, input))
  if (stored.every((one) => one === 'same')) return void (await world.agree('success', call))
  if (stored.some((one) => one !== 'none')) return void (await world.agree('conflict', call))
  const messages = (await world.agree('success', call)) ?? []
  for (const [index, input] of inputs.entries())
    remember(world, session, session.active, input, messages[index]?.id ?? never)
}

const rewind: Step = async (world, choices) => {
  const session = world.session(choices)
  const at = session && choices.below(6) > 0 ? anyMessage(session, choices) : undefined
  const call = world.scope.branches.rewind(session?.id ?? never, { at: at?.id ?? null })
  if (session === undefined) return void (await world.agree('not_found', call))
  const branch = await world.agree('success', call)
  if (branch) session.active = addBranch(session, branch.id, at ? pathTo(session, at) : [], session.active.id)
}

const undo: Step = async (world, choices) => {
  const session = world.session(choices)
  const call = world.scope.branches.undo(session?.id ?? never)
  if (session === undefined) return void (await world.agree('not_found', call))
  const replaced = session.branches.find(({ id }) => id === session.active.replaces)
  if (replaced === undefined) return void (await world.agree('conflict', call))
  await world.agree('success', call)
  session.active = replaced
}

const edit: Step = async (world, choices) => {
  const session = world.session(choices)
  const message = session && anyMessage(session, choices)
  const input = someMessage(choices)
  const call = world.scope.branches.edit(session?.id ?? never, message?.id ?? never, input)
  if (session === undefined || message === undefined) return void (await world.agree('not_found', call))
  const said = saidOf(input, message.id)
  const stored = storedAs(world, session, input, said)
  if (stored !== 'none') return void (await world.agree(stored === 'same' ? 'success' : 'conflict', call))
  const edited = await world.agree('success', call)
  if (edited === undefined) return
  session.active = addBranch(session, edited.branch, pathTo(session, message).slice(0, -1), session.active.id)
  remember(world, session, session.active, input, edited.id, said)
}

const regenerate: Step = async (world, choices) => {
  const session = world.session(choices)
  const message = session && anyMessage(session, choices)
  const call = world.scope.branches.regenerate(session?.id ?? never, message?.id ?? never)
  if (session === undefined || message === undefined) return void (await world.agree('not_found', call))
  const branch = await world.agree('success', call)
  if (branch) session.active = addBranch(session, branch.id, pathTo(session, message).slice(0, -1), session.active.id)
}

const branchOff: Step = async (world, choices) => {
  const session = world.session(choices)
  const at = session && choices.of([anyMessage(session, choices), null, undefined])
  const activate = choices.below(2) === 1
  const input = { activate, ...(at !== undefined && { at: at?.id ?? null }) }
  const call = world.scope.branches.create(session?.id ?? never, input)
  if (session === undefined) return void (await world.agree('not_found', call))
  const branch = await world.agree('success', call)
  if (branch === undefined) return
  const path = at === undefined ? session.active.path : at === null ? [] : pathTo(session, at)
  const added = addBranch(session, branch.id, path, null)
  if (activate) session.active = added
}

const activate: Step = async (world, choices) => {
  const session = world.session(choices)
  const branch = session && choices.of(session.branches)
  const call = world.scope.branches.activate(branch?.id ?? never)
  if (session === undefined || branch === undefined) return void (await world.agree('not_found', call))
  await world.agree('success', call)
  session.active = branch
}

const settleCall: Step = async (world, choices) => {
  const session = world.session(choices)
  const toolCallId = choices.of(['c0', 'c1'])
  const output = choices.of([1, 2])
  const call = world.scope.parts.settle(session?.id ?? never, toolCallId, { state: 'output-available', output })
  const nearest = session?.active.path.findLast(({ parts }) => parts[1]?.toolCallId === toolCallId)
  const [text, part] = nearest?.parts ?? []
  if (nearest === undefined || text === undefined || part === undefined)
    return void (await world.agree('not_found', call))
  if (part.state === 'output-available' && part.output !== output) return void (await world.agree('conflict', call))
  await world.agree('success', call)
  nearest.parts = [text, { ...part, state: 'output-available', output }]
}

const settleMessage: Step = async (world, choices) => {
  const session = choices.maybe(world.model.sessions)
  const message = session && anyMessage(session, choices)
  const status = choices.of(['complete', 'failed'] as const)
  const call = world.scope.messages.settle(message?.id ?? never, { status })
  if (message === undefined) return void (await world.agree('not_found', call))
  const possible = message.status === 'streaming' || message.status === status
  await world.agree(possible ? 'success' : 'conflict', call)
  if (possible) message.status = status
}

export const threadSteps: Readonly<Record<string, Step>> = {
  append,
  appendAll,
  rewind,
  undo,
  edit,
  regenerate,
  branchOff,
  activate,
  settleCall,
  settleMessage,
}
