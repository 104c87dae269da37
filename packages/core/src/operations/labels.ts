import { z } from 'zod'
import { fingerprintOf, readCursor, writeCursor } from '../cursor.js'
import { tooLarge } from '../errors.js'
import type { Limits } from '../limits.js'
import { normalFolder, normalTag } from '../model/label.js'
import { callOptions, columnText, idOf, signal } from '../model/primitives.js'
import type { OperationsOf } from '../operation.js'
import type { ChangeLabels, Label } from '../ports/commands.js'
import type { FolderRepository, TagRepository } from '../ports/labels.js'
import type { LabelKind } from '../ports/rows.js'
import { exceedsBytes } from '../text.js'
import type { Work } from '../work.js'
import { type Draft, write } from './draft.js'
import { listSessions } from './session-list.js'
import { simple, storedSession } from './sessions.js'

type Kind = Exclude<LabelKind, 'participant'>

const normal: Readonly<Record<Kind, (value: string) => string>> = { tag: normalTag, folder: normalFolder }

function bytesOf(kind: Kind, limits: Limits): number {
  return kind === 'tag' ? limits.tagBytes : limits.pathBytes
}

const labelArguments = (kind: Kind) => (limits: Limits) => ({
  session: idOf('session', limits),
  [`${kind}s`]: z.array(columnText(bytesOf(kind, limits))).max(limits.pageRows),
  options: callOptions.optional(),
})

export const pageOptions = (limits: Limits) =>
  z.strictObject({
    cursor: z.string().optional(),
    limit: z.int().min(1).max(limits.pageRows).optional(),
    signal: signal.optional(),
  })

const changes = (kind: Kind) => {
  const operation = (change: ChangeLabels['change']) => ({
    access: 'write' as const,
    arguments: labelArguments(kind),
    run: (work: Work, session: string, values: readonly string[]) =>
      write(work, changeLabels(work, session, kind, change, values)),
  })
  return {
    set: operation('replace'),
    add: operation('add'),
    remove: operation('remove'),
    of: {
      access: 'read' as const,
      arguments: (limits: Limits) => ({ session: idOf('session', limits), options: callOptions.optional() }),
      run: async (work: Work, session: string) => {
        const values = await work.backend.labels.of(work.scope, session, kind, work)
        if (values.length === 0) await storedSession(work, session)
        return values
      },
    },
  }
}

export const tagOperations: OperationsOf<TagRepository> = {
  ...changes('tag'),
  list: {
    access: 'read',
    arguments: (limits) => ({ options: pageOptions(limits).optional() }),
    run: async (work, { cursor, limit = work.pageLimit } = {}) => {
      const fingerprint = fingerprintOf('tags', work.scope, {})
      const [after] = cursor === undefined ? [] : readCursor(cursor, fingerprint, ['string'])
      const found = await work.backend.labels.count(work.scope, 'tag', after?.toString(), limit + 1, work)
      const items = found.slice(0, limit).map(({ value, sessions }) => ({ tag: value, sessions }))
      const last = items.at(-1)
      return { items, next: found.length > limit && last ? writeCursor(fingerprint, [last.tag]) : null }
    },
  },
}

export const folderOperations: OperationsOf<FolderRepository> = {
  ...changes('folder'),
  find: {
    access: 'read',
    arguments: (limits) => ({
      folder: columnText(limits.pathBytes),
      options: pageOptions(limits).extend({ descendants: z.boolean().optional() }).optional(),
    }),
    run: (work, folder, options) => listSessions(work, { ...options, folder }),
  },
}

export function changeLabels(
  work: Work,
  session: string,
  kind: Kind,
  change: ChangeLabels['change'],
  values: readonly string[],
): Draft<void> {
  return simple([{ type: 'change-labels', session, kind, change, values: normalised(work, kind, values) }])
}

/** Lower case may take more bytes than the text that was given, so the limit is checked again. */
function normalised(work: Work, kind: Kind, values: readonly string[]): readonly string[] {
  const bytes = bytesOf(kind, work.limits)
  const unique = new Set(values.map(normal[kind]))
  for (const value of unique) if (exceedsBytes(value, bytes)) throw tooLarge(kind, bytes)
  return [...unique]
}

export const tagLabels = (work: Work, tags: readonly string[]): readonly Label[] =>
  normalised(work, 'tag', tags).map((value) => ({ kind: 'tag', value }))

export const folderLabels = (work: Work, folders: readonly string[]): readonly Label[] =>
  normalised(work, 'folder', folders).map((value) => ({ kind: 'folder', value }))
