import { conflict, type Entity, HoldfastError, notFound, tooLarge } from '../errors.js'
import { createPause } from '../event-loop.js'
import { mostUsage } from '../model/usage.js'
import type { Command, Expectation, Receipt } from '../ports/commands.js'
import type { Work } from '../work.js'
import { commit, type Outcome } from './commit.js'
import { commandsToRepeat, sessionOf } from './repeated-batch.js'
import { sweep } from './sweep.js'

/** Something a write creates, by which a repeated call is recognised. */
export interface Creation {
  readonly entity: Entity
  readonly id: string
  /** Whether it is stored: `same` by the same input, `other` by another, `none` not at all. */
  stored(work: Work): Promise<'same' | 'other' | 'none'>
}

/** A write that needs no read before it, so that it can stand in a batch. */
export interface Draft<Result> {
  readonly commands: readonly Command[]
  readonly creations: readonly Creation[]
  /** Turns the receipts of its own commands into the result. */
  result(receipts: readonly Receipt[]): Result
  /** The result when everything it creates is stored already. */
  replay(work: Work): Promise<Result>
}

/** Writes one draft. */
export async function write<Result>(work: Work, draft: Draft<Result>): Promise<Result> {
  const receipts = await writeAll(work, [draft])
  return receipts === 'replay' ? draft.replay(work) : draft.result(receipts)
}

/**
 * Writes drafts as one commit. `replay` means that all they create is stored already, by the same input; those that
 * create nothing are carried out again then, so that they never are left out.
 */
export async function writeAll(work: Work, drafts: readonly Draft<unknown>[]): Promise<readonly Receipt[] | 'replay'> {
  const commands = drafts.length === 1 && drafts[0] ? drafts[0].commands : drafts.flatMap((draft) => draft.commands)
  const creations = drafts.length === 1 && drafts[0] ? drafts[0].creations : drafts.flatMap((draft) => draft.creations)
  if (Math.max(drafts.length, creations.length) > work.limits.writesPerBatch)
    throw tooLarge('The batch', work.limits.writesPerBatch, 'writes')
  let outcome = await commit(work, commands)
  if (outcome.committed) return outcome.receipts
  if (outcome.expectation !== 'session' || isAboutDeleted(commands, outcome)) {
    const found = await countStored(work, creations)
    if (found.same > 0 && found.same === creations.length) {
      await writeAgain(work, drafts)
      return 'replay'
    }
    if (found.same + found.other > 0) throw taken(found.first)
  }
  if (outcome.expectation === 'id') {
    // Nobody shows what has the id: it is left over from a deletion and only waits to be removed.
    await sweep(work, work.scope)
    outcome = await commit(work, commands)
    if (outcome.committed) return outcome.receipts
  }
  throw refusal(commands, outcome)
}

/** Whether the session that is missing is one that the drafts delete: that it is gone may be their own doing. */
function isAboutDeleted(commands: readonly Command[], { command: at }: Refused): boolean {
  const missing = sessionOf(commands[at])
  return commands.some((command) => command.type === 'delete-session' && command.session === missing)
}

/** Carries out again what creates nothing, as repeating each of the calls would. */
async function writeAgain(work: Work, drafts: readonly Draft<unknown>[]): Promise<void> {
  const commands = await commandsToRepeat(work, drafts)
  if (commands.length === 0) return
  const outcome = await work.backend.commit(work.scope, commands, work)
  if (!outcome.committed) throw refusal(commands, outcome)
}

async function countStored(work: Work, creations: readonly Creation[]) {
  const found: { same: number; other: number; first: Creation | undefined } = { same: 0, other: 0, first: undefined }
  const pause = createPause()
  for (const creation of creations) {
    const stored = await creation.stored(work)
    await pause()
    if (stored === 'none') continue
    found[stored]++
    found.first ??= creation
  }
  return found
}

function taken(creation: Creation | undefined): HoldfastError {
  if (creation === undefined) return conflict('The id is taken.')
  const { entity, id } = creation
  return conflict(`There is another ${entity} with this id. Repeat the first input exactly, or use a new id.`, {
    entity,
    id,
  })
}

type Refused = Extract<Outcome, { committed: false }>

/** The error for a refused command. */
export function refusal(commands: readonly Command[], refused: Refused): HoldfastError {
  const command = commands[refused.command]
  switch (refused.expectation) {
    case 'session':
      return notFound('session', sessionOf(command) ?? '')
    case 'source':
      return notFound('session', command?.type === 'create-session' ? (command.source ?? '') : '')
    case 'branch':
      return notFound(
        'branch',
        command && 'branch' in command && typeof command.branch === 'string' ? command.branch : '',
      )
    case 'message':
      return notFound('message', command?.type === 'settle-message' ? command.message : '')
    case 'at':
      return notFound(
        'message',
        command && 'branch' in command && typeof command.branch === 'object' ? (command.branch?.at ?? '') : '',
      )
    case 'usage':
      return new HoldfastError('too_large', `A session spends at most ${mostUsage} of each.`, {
        entity: 'session',
        id: sessionOf(command) ?? '',
      })
    default:
      return conflict(conflictTexts[refused.expectation])
  }
}

const conflictTexts: Readonly<
  Record<Exclude<Expectation, 'session' | 'source' | 'branch' | 'message' | 'at'>, string>
> = {
  id: 'The id is taken. Use a new one.',
  externalRef: 'Another session of this source has this external reference.',
  version: 'It was changed meanwhile. Read it again and decide anew.',
  revision: 'The message was changed meanwhile. Read it again and decide anew.',
  status: 'The session is not in the status that was expected.',
  after: 'Another message came after the one that was expected to be the last.',
}
