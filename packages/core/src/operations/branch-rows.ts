import { encodeJson, encodeJsonObject } from '../json.js'
import type { Branch, BranchOrigin, BranchPatch } from '../model/branch.js'
import type { BranchColumns, BranchRow, StoredBranch } from '../ports/rows.js'
import type { Work } from '../work.js'
import { metadataBounds } from './session-rows.js'
import { naming, parseObject, parseOrNull } from './stored-json.js'

/** The first branch of a session: its own path, or a pointer into the one forked from. */
export function rootBranch(work: Work, at: string | null, origin: BranchOrigin): BranchRow {
  const essentials = { id: work.mint('br'), digest: '', at, origin, replaces: null, createdBy: null }
  return branchRow(work, essentials, {})
}

type BranchEssentials = Pick<BranchRow, 'id' | 'digest' | 'at' | 'origin' | 'replaces' | 'createdBy'>

export function branchRow(work: Work, essentials: BranchEssentials, described: BranchColumns): BranchRow {
  return {
    name: null,
    agentConfigJson: null,
    systemMessage: null,
    status: null,
    metadataJson: '{}',
    startedAt: null,
    endedAt: null,
    ...described,
    ...essentials,
    createdAt: work.now,
    version: 1,
  }
}

const plainColumns = ['name', 'systemMessage', 'status', 'startedAt', 'endedAt'] as const

/** The columns that an input or a patch says something about, where its metadata is all that is known of them. */
export function branchColumns(work: Work, given: BranchPatch): BranchColumns {
  const set: Record<string, string | number | null> = {}
  for (const column of plainColumns) {
    const value = given[column]
    if (value !== undefined) set[column] = value
  }
  const { agentConfig, metadata } = given
  if (agentConfig !== undefined)
    set.agentConfigJson = agentConfig === null ? null : encodeJson(agentConfig, metadataBounds(work), 'agentConfig')
  if (metadata !== undefined) set.metadataJson = encodeJsonObject(metadata, metadataBounds(work), 'metadata')
  return set
}

export function branchOf(row: StoredBranch): Branch {
  try {
    return readBranch(row)
  } catch (error) {
    throw naming(error, 'branch', row.id)
  }
}

function readBranch(row: StoredBranch): Branch {
  return {
    id: row.id,
    session: row.session,
    active: row.active,
    name: row.name,
    origin: row.origin,
    parent: row.parent,
    base: row.base,
    head: row.head,
    replaces: row.replaces,
    agentConfig: parseOrNull(row.agentConfigJson),
    systemMessage: row.systemMessage,
    status: row.status,
    metadata: row.metadataJson === '{}' ? {} : parseObject(row.metadataJson),
    createdBy: row.createdBy,
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    version: row.version,
  }
}
