import type { BranchRow, StoredBranch } from '@holdfast/core'
import type { SqlRow } from '../executor.js'
import { branches, type Database } from '../schema/tables.js'
import { type Cells, fieldsOf } from './columns.js'

export const branchFields = fieldsOf<Omit<BranchRow, 'at'>, (typeof branches)['columns']>(branches, [
  'id',
  'digest',
  'origin',
  'replaces',
  'name',
  'agentConfigJson',
  'systemMessage',
  'status',
  'metadataJson',
  'createdBy',
  'createdAt',
  'startedAt',
  'endedAt',
  'version',
])

/** What a read of branches selects, followed by what it takes from the session and the parent, and by the key. */
export const branchColumns = [
  'digest',
  'origin',
  'replaces',
  'name',
  'agent_config_json',
  'system_message',
  'status',
  'metadata_json',
  'created_by',
  'created_at',
  'started_at',
  'ended_at',
  'version',
  'base',
  'head',
] as const

type Known = Omit<Database['holdfast_branches'], 'origin'> & Pick<StoredBranch, 'origin'>
type BranchCells = readonly [
  ...Cells<Known, typeof branchColumns>,
  id: string,
  parent: string | null,
  session: string,
  gone: number,
  active: number,
]

export function branchFrom(row: SqlRow): StoredBranch {
  // The select list begins with `branchColumns` and these five.
  const [
    digest,
    origin,
    replaces,
    name,
    agentConfigJson,
    systemMessage,
    status,
    metadataJson,
    createdBy,
    createdAt,
    startedAt,
    endedAt,
    version,
    base,
    head,
    id,
    parent,
    session,
    gone,
    active,
  ] = row as unknown as BranchCells
  return {
    id,
    digest,
    origin,
    replaces,
    name,
    agentConfigJson,
    systemMessage,
    status,
    metadataJson,
    createdBy,
    createdAt,
    startedAt,
    endedAt,
    version,
    parent,
    base,
    session,
    gone: gone === 1,
    active: active === 1,
    head,
  }
}
