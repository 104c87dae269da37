import { adminCalls, callsIn, type PlannedCall } from '../calls.js'
import { Choices } from '../model/world.js'
import { says } from '../tools/content.js'

/** The session that everything is about: never deleted, so that whatever was acknowledged in it must be there. */
export const root = 'root'

/** A session that is deleted and created again, time after time. */
const phoenix = 'phoenix'

/** A call, and what is so once it has succeeded. */
export interface Planned {
  readonly call: PlannedCall
  readonly appends?: readonly Appended[]
  readonly forks?: string
  readonly deletes?: string
  /** Whether it expects something that others change. Whatever does not can only come too late. */
  readonly mayConflict?: true
}

interface Appended {
  readonly id: string
  readonly session: string
}

/** What can be referred to, whether or not it will have come about or will still be there. */
interface Known {
  readonly sessions: string[]
  /** Still referred to until the next one is deleted, so that others come too late by little. */
  deleted: string
  forks: number
  readonly messages: Appended[]
}

type Step = (choices: Choices, known: Known) => Planned

/**
 * What each of several workers will do to one session and its forks. Ids are chosen beforehand, so that a plan is data
 * and no call needs the answer of another: it names what others may have made, or deleted, by then.
 */
export function randomCalls(seed: number, scope: string, workers: number, count: number): readonly Planned[][] {
  const choices = new Choices(seed)
  const known: Known = { sessions: [root, phoenix], deleted: phoenix, forks: 0, messages: [] }
  const steps = stepsIn(scope)
  const plans = Array.from({ length: workers }, (): Planned[] => [])
  // In turn, so that each worker can refer to what the others do about the same time.
  for (let step = 0; step < count; step++) for (const plan of plans) plan.push(choices.of(steps)(choices, known))
  return plans
}

function stepsIn(scope: string): readonly Step[] {
  const { batch, branches, folders, messages, sessions, tags } = callsIn(scope)

  const append: Step = (choices, known) => {
    const added = newMessage(known, someSession(choices, known))
    return { call: messages.append(added.session, textOf(added)), appends: [added] }
  }
  const appendAll: Step = (choices, known) => {
    const session = someSession(choices, known)
    const added = [newMessage(known, session), newMessage(known, session)]
    return { call: messages.appendAll(session, added.map(textOf)), appends: added }
  }
  const appendToTwo: Step = (choices, known) => {
    const added = [someSession(choices, known), someSession(choices, known)].map((each) => newMessage(known, each))
    return { call: batch(...added.map((each) => messages.append(each.session, textOf(each)))), appends: added }
  }
  const fork: Step = (choices, known) => {
    const source = someSession(choices, known)
    const at = choices.of([undefined, someMessage(choices, known, source)])
    const id = `fork ${known.forks++}`
    known.sessions.push(id)
    return { call: sessions.fork(source, { id, at }), forks: id }
  }
  const edit: Step = (choices, known) => {
    const session = someSession(choices, known)
    const edited = someMessage(choices, known, session) ?? 'none'
    const added = newMessage(known, session)
    return { call: branches.edit(session, edited, textOf(added)), appends: [added] }
  }
  const rewind: Step = (choices, known) => {
    const session = someSession(choices, known)
    return { call: branches.rewind(session, { at: someMessage(choices, known, session) ?? null }) }
  }
  const undo: Step = (choices, known) => ({ call: branches.undo(someSession(choices, known)), mayConflict: true })
  const list: Step = (choices, known) => ({ call: messages.list(someSession(choices, known), { limit: 100 }) })
  const archive: Step = (choices, known) => ({ call: sessions.archive(someSession(choices, known)) })
  const unarchive: Step = (choices, known) => ({ call: sessions.unarchive(someSession(choices, known)) })
  const label: Step = (choices, known) => {
    const change = choices.of(['set', 'add', 'remove'] as const)
    return { call: choices.of([tags, folders])[change](someSession(choices, known), [choices.of(['a', 'b'])]) }
  }
  const setStatus: Step = (choices, known) => {
    const [from, to] = [choices.of(['idle', 'running'] as const), choices.of(['idle', 'running'] as const)]
    return { call: sessions.setStatus(someSession(choices, known), { from, to }), mayConflict: true }
  }
  const remove: Step = (choices, known) => {
    forget(known, known.deleted)
    known.deleted = choices.of([phoenix, ...known.sessions.filter((id) => id !== root).slice(-6)])
    return { call: sessions.delete(known.deleted), deletes: known.deleted }
  }
  const createAgain: Step = () => ({ call: sessions.create({ id: phoenix }), mayConflict: true })
  const sweep: Step = () => ({ call: adminCalls.sweep() })

  // What adds is more frequent than what removes, so that there is always something to remove.
  return [
    ...[append, append, append, append, append, append, appendAll, appendToTwo],
    ...[fork, fork, fork, edit, rewind, undo, list, list],
    ...[archive, unarchive, label, label, setStatus],
    ...[remove, createAgain, sweep],
  ]
}

/** The root more often than any other, and the newest forks more often than the older ones. */
function someSession(choices: Choices, { sessions }: Known): string {
  return choices.of([root, choices.of(sessions.slice(-6)), choices.of(sessions)])
}

function forget({ sessions }: Known, session: string): void {
  if (session !== phoenix) sessions.splice(sessions.indexOf(session), 1)
}

function someMessage(choices: Choices, { messages }: Known, session: string): string | undefined {
  return choices.maybe(messages.filter((message) => message.session === session).slice(-20))?.id
}

function newMessage({ messages }: Known, session: string): Appended {
  const message = { id: `message ${messages.length}`, session }
  messages.push(message)
  return message
}

function textOf({ id }: Appended) {
  return says(id, { id })
}
