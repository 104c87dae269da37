import { conflict, type Entity, HoldfastError, notFound, tooLarge } from '../errors.js'
import type { Command, CommitResult, Expectation, Receipt } from '../ports/commands.js'
import type { Work } from '../work.js'

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

/** Writes drafts as one commit. `replay` means that all they create is stored already, by the same input. */
export async function writeAll(work: Work, drafts: readonly Draft<unknown>[]): Promise<readonly Receipt[] | 'replay'> {
  const commands = drafts.length === 1 && drafts[0] ? drafts[0].commands : drafts.flatMap((draft) => draft.commands)
  const creations = drafts.length === 1 && drafts[0] ? drafts[0].creations : drafts.flatMap((draft) => draft.creations)
  if (Math.max(drafts.length, creations.length) > work.limits.writesPerBatch)
    throw tooLarge('The batch', work.limits.writesPerBatch, 'writes')
  let outcome = await work.backend.commit(work.scope, commands, work)
  if (outcome.committed) return outcome.receipts
  if (outcome.expectation !== 'session') {
    const found = await countStored(work, creations)
    if (found.same > 0 && found.same === creations.length) return 'replay'
    if (found.same + found.other > 0) throw taken(found.first)
  }
  if (outcome.expectation === 'id') {
    // Nobody shows what has the id: it is left over from a deletion and only waits to be removed.
    await sweepScope(work)
    outcome = await work.backend.commit(work.scope, commands, work)
    if (outcome.committed) return outcome.receipts
  }
  throw refusal(commands, outcome)
}

async function countStored(work: Work, creations: readonly Creation[]) {
  const found: { same: number; other: number; first: Creation | undefined } = { same: 0, other: 0, first: undefined }
  for (const creation of creations) {
    const stored = await creation.stored(work)
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

/** Removes what deletions left behind, in transactions short enough to let other writers in between. */
export async function sweepScope(work: Work): Promise<void> {
  while (await work.backend.upkeep.sweep(work.scope, 1000, work));
}

type Refused = Extract<CommitResult, { committed: false }>

/** The error for a refused command. */
function refusal(commands: readonly Command[], refused: Refused): HoldfastError {
  const command = commands[refused.command]
  switch (refused.expectation) {
    case 'session':
      return notFound(
        'session',
        command && 'session' in command && typeof command.session === 'string' ? command.session : '',
      )
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

/** A write that follows from what was read. */
export interface Decision<Result> {
  /** Empty when there is nothing to do. */
  readonly commands: readonly Command[]
  result(receipts: readonly Receipt[]): Result
}

const attempts = 100

/**
 * Reads, decides and writes under the versions that were read, again from the start while others are faster. Refusals
 * outside of `again` end it.
 */
export async function decide<Result>(
  work: Work,
  again: readonly Expectation[],
  attempt: () => Promise<Decision<Result>>,
): Promise<Result> {
  for (let tried = 0; tried < attempts; tried++) {
    const decision = await attempt()
    if (decision.commands.length === 0) return decision.result([])
    const outcome = await work.backend.commit(work.scope, decision.commands, work)
    if (outcome.committed) return decision.result(outcome.receipts)
    if (!again.includes(outcome.expectation)) throw refusal(decision.commands, outcome)
    work.retries++
  }
  throw new HoldfastError('busy', 'Others kept changing the same record. Try again.')
}
