import { type ForkInput, type JsonObject, type SessionInput, sessionStatuses, terminalStatuses } from '@holdfast/core'
import { addBranch, type NaiveSession, pathTo, shown } from './naive.js'
import { type Choices, never, type World } from './world.js'

// Steps that write sessions and what belongs to them.

type Step = (world: World, choices: Choices) => Promise<void>

/** Few enough to be repeated, and mostly none, so that most steps write something new. In UTF-16 they are ordered otherwise. */
const ids = ['\uffee', '\u{1f600}', ...new Array<undefined>(5)]
const someTags = [['a'], ['b', ' A '], ['c', 'b'], []]

/** The same id again: a replay when everything said is the same, a conflict when it is not. */
async function replayed(world: World, id: string | undefined, said: string, call: Promise<unknown>): Promise<boolean> {
  const stored = id === undefined ? undefined : world.model.session(id)
  if (stored === undefined) return false
  await world.agree(stored.said === said ? 'success' : 'conflict', call)
  return true
}

function newSession(
  world: World,
  fields: Pick<NaiveSession, 'id' | 'said' | 'parent'>,
  branchId: string,
): NaiveSession {
  const first = { id: branchId, path: [], base: 0, replaces: null }
  const session: NaiveSession = {
    title: null,
    metadata: {},
    status: 'idle',
    archived: false,
    version: 1,
    spent: 0,
    lastActivityAt: world.clock(),
    active: first,
    branches: [],
    tags: [],
    folders: [],
    changes: [],
    events: [],
    expenses: [],
    ...fields,
  }
  world.model.sessions.push(session)
  return session
}

const create: Step = async (world, choices) => {
  const id = choices.of(ids)
  const input: SessionInput = { title: choices.of(['one', 'two']), tags: choices.of(someTags), metadata: { k: 1 } }
  const call = world.scope.sessions.create(id === undefined ? input : { ...input, id })
  const said = JSON.stringify(input)
  if (await replayed(world, id, said, call)) return
  const created = await world.agree('success', call)
  if (created === undefined) return
  const session = newSession(world, { id: created.id, said, parent: null }, created.activeBranch)
  session.active = addBranch(session, created.activeBranch, [], null)
  session.title = input.title ?? null
  session.tags = normal(input.tags ?? [])
  session.metadata = { k: 1 }
}

const fork: Step = async (world, choices) => {
  const source = world.session(choices)
  const id = choices.of(ids)
  const at = source && choices.of([undefined, null, choices.maybe(shown(source))])
  const input: ForkInput = { ...(at !== undefined && { at: at?.id ?? null }), ...(id !== undefined && { id }) }
  const call = world.scope.sessions.fork(source?.id ?? never, input)
  if (source === undefined) return void (await world.agree('not_found', call))
  const said = JSON.stringify({ fork: source.id, at: at === undefined ? 'all' : (at?.id ?? null) })
  if (await replayed(world, id, said, call)) return
  const created = await world.agree('success', call)
  if (created === undefined) return
  const path = at === undefined ? source.active.path : at === null ? [] : pathTo(source, at)
  const session = newSession(world, { id: created.id, said, parent: source.id }, created.activeBranch)
  session.active = addBranch(session, created.activeBranch, path, null)
  session.title = source.title
  session.metadata = source.metadata
  session.tags = [...source.tags]
  session.folders = [...source.folders]
}

const update: Step = async (world, choices) => {
  const session = world.session(choices)
  const metadata = choices.of<JsonObject>([{ k: null }, { k: { deep: 1 } }, { j: 2 }, { k: { other: null } }])
  const title = choices.of(['three', null, undefined])
  const expected = choices.below(4) === 3 ? 99 : undefined
  const options = expected === undefined ? {} : { ifVersion: expected }
  const call = world.scope.sessions.update(session?.id ?? never, { title, metadata }, options)
  if (session === undefined) return void (await world.agree('not_found', call))
  if (expected !== undefined && expected !== session.version) return void (await world.agree('conflict', call))
  await world.agree('success', call)
  if (title !== undefined) session.title = title
  const merged: Record<string, JsonObject[string]> = { ...session.metadata, ...metadata }
  for (const key of Object.keys(metadata)) if (metadata[key] === null) delete merged[key]
  session.metadata = merged
  session.version++
}

const archive: Step = async (world, choices) => {
  const session = world.session(choices)
  const wanted = choices.below(2) === 0
  const { sessions } = world.scope
  const call = wanted ? sessions.archive(session?.id ?? never) : sessions.unarchive(session?.id ?? never)
  if (session === undefined) return void (await world.agree('not_found', call))
  await world.agree('success', call)
  if (session.archived !== wanted) session.version++
  session.archived = wanted
}

const touch: Step = async (world, choices) => {
  const session = world.session(choices)
  const call = world.scope.sessions.touch(session?.id ?? never)
  if (session === undefined) return void (await world.agree('not_found', call))
  await world.agree('success', call)
  session.lastActivityAt = Math.max(session.lastActivityAt, world.clock())
}

const setStatus: Step = async (world, choices) => {
  const session = world.session(choices)
  const from = choices.of([session?.status ?? 'idle', ...sessionStatuses])
  const to = choices.of(sessionStatuses)
  const override = choices.below(3) === 2
  const call = world.scope.sessions.setStatus(session?.id ?? never, { from, to, override })
  if (session === undefined) return void (await world.agree('not_found', call))
  const possible = session.status === from && (override || !terminalStatuses.has(from))
  await world.agree(possible ? 'success' : 'conflict', call)
  if (!possible) return
  session.status = to
  session.changes.push({ from, to, override })
}

const remove: Step = async (world, choices) => {
  const session = world.session(choices)
  const call = world.scope.sessions.delete(session?.id ?? never)
  if (session === undefined) return void (await world.agree('not_found', call))
  await world.agree('success', call)
  world.model.remove(session)
}

function normal(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim().toLowerCase()))].sort()
}

const tag: Step = async (world, choices) => {
  const session = world.session(choices)
  const tags = choices.of(someTags)
  const how = choices.of(['set', 'add', 'remove'] as const)
  const call = world.scope.tags[how](session?.id ?? never, tags)
  if (session === undefined) return void (await world.agree('not_found', call))
  await world.agree('success', call)
  const kept = how === 'set' ? [] : session.tags.filter((own) => how === 'add' || !normal(tags).includes(own))
  session.tags = normal(how === 'remove' ? kept : [...kept, ...tags])
}

const file: Step = async (world, choices) => {
  const session = world.session(choices)
  const folders = choices.of([['f'], ['f/g', 'h'], []])
  const call = world.scope.folders.set(session?.id ?? never, folders)
  if (session === undefined) return void (await world.agree('not_found', call))
  await world.agree('success', call)
  session.folders = folders
}

const note: Step = async (world, choices) => {
  const session = world.session(choices)
  const id = choices.of(['e0', 'e1', undefined])
  const payload = choices.of([1, 2])
  const call = world.scope.events.add(session?.id ?? never, { type: 'note', payload, ...(id !== undefined && { id }) })
  if (session === undefined) return void (await world.agree('not_found', call))
  const said = JSON.stringify(payload)
  const owner =
    id === undefined ? undefined : world.model.sessions.find(({ events }) => events.some((own) => own.id === id))
  if (owner === undefined) {
    await world.agree('success', call)
    session.events.push({ id: id ?? null, said })
  } else {
    const same = owner === session && owner.events.some((own) => own.id === id && own.said === said)
    await world.agree(same ? 'success' : 'conflict', call)
  }
}

const spend: Step = async (world, choices) => {
  const session = world.session(choices)
  const id = choices.of(['u0', 'u1', undefined])
  const input = choices.of([1, 10])
  const call = world.scope.sessions.addUsage(session?.id ?? never, { input, ...(id !== undefined && { id }) })
  if (session === undefined) return void (await world.agree('not_found', call))
  const said = JSON.stringify(input)
  const owner =
    id === undefined ? undefined : world.model.sessions.find((one) => one.expenses.some((own) => own.id === id))
  if (owner === undefined) {
    await world.agree('success', call)
    session.expenses.push({ id: id ?? null, said })
    session.spent += input
  } else {
    const same = owner === session && owner.expenses.some((own) => own.id === id && own.said === said)
    await world.agree(same ? 'success' : 'conflict', call)
  }
}

const time: Step = async (world, choices) => {
  world.clock.set(world.clock() + choices.of([1, 1000, 0, -500]))
}

export const sessionSteps: Readonly<Record<string, Step>> = {
  create,
  fork,
  update,
  archive,
  touch,
  setStatus,
  remove,
  tag,
  file,
  note,
  spend,
  time,
}
