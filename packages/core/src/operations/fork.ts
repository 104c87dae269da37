import { copyJson } from '../json.js'
import type { ForkInput, Session } from '../model/session.js'
import { noUsage } from '../model/usage.js'
import type { SessionRow } from '../ports/rows.js'
import type { Work } from '../work.js'
import { rootBranch } from './branch-rows.js'
import { type Draft, write } from './draft.js'
import { Family, messageAt, shownMessage } from './family.js'
import { foldedTitle, mergeMetadata, metadataBounds, sessionColumns, sessionOf } from './session-rows.js'
import { creationOfSession, participantLabels, storedSession } from './sessions.js'

/** A new session whose first branch points into this one's path. One branch row, whatever the length. */
export async function forkSession(work: Work, source: string, input: ForkInput): Promise<Session> {
  const { id: given, at, branch: from, metadata, createdBy = null, ...described } = input
  const columns = sessionColumns(work, described)
  const added = metadata && copyJson(metadata, metadataBounds(work), 'input.metadata')
  const digest = work.digest({ ...input, fork: source })
  const origin = await storedSession(work, source)
  const family = await Family.of(work, source)
  const id = given ?? work.mint('ses')
  const kept = await keptMessage(work, family, at, from)
  const session: SessionRow = {
    ...origin,
    ...zeroUsage,
    ...columns,
    titleFolded: foldedTitle(columns.title === undefined ? origin.title : columns.title),
    externalRef: columns.externalRef ?? null,
    metadataJson: added === undefined ? origin.metadataJson : mergeMetadata(work, origin.metadataJson, added),
    id,
    digest,
    createdBy,
    status: 'idle',
    statusReasonJson: null,
    lineageRelation: 'fork',
    lineageSession: source,
    lineageMessage: kept?.id ?? null,
    createdAt: work.now,
    updatedAt: work.now,
    lastActivityAt: work.now,
    startedAt: columns.startedAt ?? null,
    endedAt: columns.endedAt ?? null,
    archivedAt: null,
    version: 1,
  }
  const first = rootBranch(work, kept?.id ?? null, 'fork')
  const draft: Draft<Session> = {
    commands: [
      { type: 'create-session', session, branch: first, labels: participantLabels(session.participantsJson), source },
    ],
    creations: [creationOfSession(id, digest)],
    result: () => sessionOf({ ...session, activeBranch: first.id, messageCount: kept?.position ?? 0 }),
    replay: async (later) => sessionOf(await storedSession(later, id)),
  }
  return write(work, draft)
}

/** The last message kept: the one named, none for null, the last of the branch when nothing is said. */
export async function keptMessage(
  work: Work,
  family: Family,
  at: string | null | undefined,
  branch: string | undefined,
) {
  if (at === null) return undefined
  const from = branch === undefined ? family.active : family.ownBranch(branch)
  if (at === undefined) return from.head === 0 ? undefined : messageAt(work, family.session, from.id, from.head)
  return shownMessage(work, family, at, branch === undefined ? undefined : from)
}

const zeroUsage = {
  usageInput: noUsage.input,
  usageOutput: noUsage.output,
  usageReasoning: noUsage.reasoning,
  usageCacheRead: noUsage.cacheRead,
  usageCacheWrite: noUsage.cacheWrite,
  usageTotal: noUsage.total,
  usageCost: noUsage.cost,
}
