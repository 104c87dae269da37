import { conflict, notFound } from '../errors.js'
import { copyJson } from '../json.js'
import {
  type Branch,
  type BranchInput,
  type BranchOrigin,
  type BranchPatch,
  branchInput,
  branchPatch,
  regenerateInput,
  rewindInput,
  type Sibling,
} from '../model/branch.js'
import { messageInput } from '../model/message.js'
import { callOptions, idOf, updateOptions } from '../model/primitives.js'
import type { OperationsOf } from '../operation.js'
import type { BranchRepository } from '../ports/branches.js'
import type { Command } from '../ports/commands.js'
import type { BranchColumns, BranchRow, StoredBranch, StoredMessage } from '../ports/rows.js'
import type { Work } from '../work.js'
import { appendMessages } from './append.js'
import { branchColumns, branchOf, branchRow } from './branch-rows.js'
import { decide } from './decide.js'
import { type Creation, type Draft, write } from './draft.js'
import { journalEntry } from './events.js'
import { Family, messageAt, shownMessage } from './family.js'
import { keptMessage } from './fork.js'
import { mergeMetadata, metadataBounds } from './session-rows.js'

const options = callOptions.optional()

export const branchOperations: OperationsOf<BranchRepository> = {
  list: {
    access: 'read',
    arguments: (limits) => ({ session: idOf('session', limits), options }),
    run: async (work, id) => (await Family.of(work, id)).own.map(branchOf),
  },
  get: {
    access: 'read',
    arguments: (limits) => ({ branch: idOf('branch', limits), options }),
    run: async (work, id) => branchOf(await storedBranch(work, id)),
  },
  create: {
    access: 'write',
    arguments: (limits) => ({ session: idOf('session', limits), input: branchInput(limits).optional(), options }),
    run: async (work, id, input = {}) => {
      const { at, from, systemMessage, activate = false } = input
      const columns = branchColumns(work, input)
      const wanted = { ...columns, ...wantBranch(work, id, 'fork', input) }
      const family = await Family.of(work, id)
      const kept = await keptMessage(work, family, at, from)
      await assertSystemMessage(work, systemMessage)
      return write(work, createBranch(work, family, wanted, kept, activate))
    },
  },
  update: {
    access: 'write',
    arguments: (limits) => ({
      branch: idOf('branch', limits),
      patch: branchPatch(limits),
      options: updateOptions.optional(),
    }),
    run: (work, id, patch, { ifVersion } = {}) => updateBranch(work, id, patch, ifVersion),
  },
  activate: {
    access: 'write',
    arguments: (limits) => ({ branch: idOf('branch', limits), options }),
    run: async (work, id) => activate(work, await storedBranch(work, id)),
  },
  siblings: {
    access: 'read',
    arguments: (limits) => ({ session: idOf('session', limits), message: idOf('message', limits), options }),
    run: async (work, id, message) => {
      const family = await Family.of(work, id)
      return siblingsOf(work, family, await shownMessage(work, family, message))
    },
  },
  rewind: {
    access: 'write',
    arguments: (limits) => ({ session: idOf('session', limits), input: rewindInput(limits), options }),
    run: async (work, id, input) => {
      const { at } = input
      const wanted = wantBranch(work, id, 'rewind', input)
      const family = await Family.of(work, id)
      const kept = await keptMessage(work, family, at, undefined)
      return write(work, createBranch(work, family, wanted, kept, true))
    },
  },
  undo: {
    access: 'write',
    arguments: (limits) => ({ session: idOf('session', limits), options }),
    run: async (work, id) => {
      const family = await Family.of(work, id)
      const { replaces } = family.active
      if (replaces === null) throw conflict('There is nothing to undo on the active branch.', { entity: 'session', id })
      return activate(work, family.ownBranch(replaces))
    },
  },
  edit: {
    access: 'write',
    arguments: (limits) => ({
      session: idOf('session', limits),
      message: idOf('message', limits),
      input: messageInput(limits),
      options,
    }),
    run: async (work, id, message, input) => {
      const append = appendMessages(work, id, [input], {}, message)
      const family = await Family.of(work, id)
      const kept = await messageBefore(work, family, message)
      const branch = createBranch(work, family, wantBranch(work, id, 'edit', {}), kept, true)
      return write(work, {
        commands: [...branch.commands, ...append.commands],
        // The branch is part of the edit: only the message says whether it was made before.
        creations: append.creations,
        result: (receipts) => firstOf(append.result(receipts.slice(branch.commands.length))),
        replay: async (later) => firstOf(await append.replay(later)),
      })
    },
  },
  regenerate: {
    access: 'write',
    arguments: (limits) => ({
      session: idOf('session', limits),
      message: idOf('message', limits),
      input: regenerateInput(limits).optional(),
      options,
    }),
    run: async (work, id, message, input = {}) => {
      const wanted = wantBranch(work, id, 'regenerate', { ...input, message })
      const family = await Family.of(work, id)
      const kept = await messageBefore(work, family, message)
      return write(work, createBranch(work, family, wanted, kept, true))
    },
  },
}

function firstOf<Item>(items: readonly Item[]): Item {
  const [first] = items
  if (first === undefined) throw new Error('An edit appends one message.')
  return first
}

async function storedBranch(work: Work, id: string): Promise<StoredBranch> {
  const branch = await work.backend.branches.get(work.scope, id, work)
  if (branch === undefined) throw notFound('branch', id)
  return branch
}

/** A pointer is history once it stands, but it must point at something of the scope when it is set. */
async function assertSystemMessage(work: Work, message: string | null | undefined): Promise<void> {
  if (message == null) return
  if ((await work.backend.messages.get(work.scope, message, work)) === undefined) throw notFound('message', message)
}

type WantedBranch = Pick<BranchRow, 'id' | 'digest' | 'origin' | 'createdBy'> & BranchColumns

/** What a caller said of a new branch, before anything is read. */
function wantBranch(
  work: Work,
  session: string,
  origin: BranchOrigin,
  said: Pick<BranchInput, 'id' | 'createdBy'> & { readonly message?: string },
): WantedBranch {
  return {
    id: said.id ?? work.mint('br'),
    digest: work.digest({ ...said, session, origin }),
    origin,
    createdBy: said.createdBy ?? null,
  }
}

function createBranch(
  work: Work,
  { session, active }: Family,
  wanted: WantedBranch,
  kept: StoredMessage | undefined,
  activate: boolean,
): Draft<Branch> {
  const { id, digest, origin, createdBy, ...columns } = wanted
  const replaces = origin === 'fork' ? null : active.id
  const branch = branchRow(work, { id, digest, at: kept?.id ?? null, origin, replaces, createdBy }, columns)
  return {
    commands: [
      { type: 'create-branch', session, branch, activate },
      journalEntry(work, session, { type: 'branch', payload: { branch: id, active: activate } }),
    ],
    creations: [creationOfBranch(id, digest)],
    result: () => branchOf(newBranch(session, branch, kept, activate)),
    replay: async (later) => branchOf(await storedBranch(later, id)),
  }
}

function newBranch(owner: string, row: BranchRow, kept: StoredMessage | undefined, active: boolean): StoredBranch {
  const base = kept?.position ?? 0
  return { ...row, session: owner, gone: false, active, parent: kept?.branch ?? null, base, head: base }
}

function creationOfBranch(id: string, digest: string): Creation {
  return {
    entity: 'branch',
    id,
    stored: async (work) => {
      const row = await work.backend.branches.get(work.scope, id, work)
      if (row === undefined) return 'none'
      return row.digest === digest ? 'same' : 'other'
    },
  }
}

async function updateBranch(
  work: Work,
  id: string,
  patch: BranchPatch,
  ifVersion: number | undefined,
): Promise<Branch> {
  const metadata = patch.metadata && copyJson(patch.metadata, metadataBounds(work), 'patch.metadata')
  const set = branchColumns(work, patch)
  await assertSystemMessage(work, patch.systemMessage)
  return decide(work, `branch ${id}`, ['version'], async () => {
    const row = await storedBranch(work, id)
    if (ifVersion !== undefined && row.version !== ifVersion)
      throw conflict(`The branch is at version ${row.version}.`, { entity: 'branch', id })
    const chosen =
      metadata === undefined ? set : { ...set, metadataJson: mergeMetadata(work, row.metadataJson, metadata) }
    if (Object.keys(chosen).length === 0) return { commands: [], result: () => branchOf(row) }
    return {
      commands: [{ type: 'patch-branch', branch: id, set: chosen, version: row.version }],
      result: () => branchOf({ ...row, ...chosen, version: row.version + 1 }),
    }
  })
}

async function activate(work: Work, branch: StoredBranch): Promise<Branch> {
  if (branch.active) return branchOf(branch)
  return write(work, {
    commands: activation(work, branch.session, branch.id),
    creations: [],
    result: () => branchOf({ ...branch, active: true }),
    replay: async () => branchOf({ ...branch, active: true }),
  })
}

export function activation(work: Work, owner: string, branch: string): readonly Command[] {
  return [
    { type: 'activate-branch', session: owner, branch },
    journalEntry(work, owner, { type: 'branch', payload: { branch, active: true } }),
  ]
}

/** What is kept when a message is replaced: the one before it on its own path. */
async function messageBefore(work: Work, family: Family, message: string): Promise<StoredMessage | undefined> {
  const replaced = await shownMessage(work, family, message)
  if (replaced.position === 1) return undefined
  const branch = family.own.find((own) => family.onPath(own, replaced))
  return branch && messageAt(work, family.session, branch.id, replaced.position - 1)
}

/** Messages at the same place after the same predecessor, one for each branch path that has another. */
async function siblingsOf(work: Work, family: Family, message: StoredMessage): Promise<readonly Sibling[]> {
  const { position } = message
  const witness = family.own.find((branch) => family.onPath(branch, message))
  if (witness === undefined) return []
  const before = family.ownerAt(witness, position - 1)
  const owners = new Map<string, StoredBranch>()
  for (const branch of family.own) {
    const owner = family.ownerAt(branch, position)
    if (owner === undefined || family.ownerAt(branch, position - 1) !== before) continue
    // The active branch speaks for the messages on it, so that a switcher stays where the user is.
    if (!owners.has(owner) || branch.active) owners.set(owner, branch)
  }
  const siblings: Sibling[] = []
  for (const branch of owners.values()) {
    const sibling = await messageAt(work, family.session, branch.id, position)
    if (sibling) siblings.push({ branch: branch.id, message: sibling.id, active: branch.active })
  }
  return siblings
}
