import { fingerprintOf, readCursor, writeCursor } from '../cursor.js'
import { notFound } from '../errors.js'
import { callOptions, idOf } from '../model/primitives.js'
import type { OperationsOf } from '../operation.js'
import type { Admin } from '../ports/admin.js'
import { pageOptions } from './labels.js'
import { sweep } from './sweep.js'

export const scopeAdminOperations: OperationsOf<Admin['scopes']> = {
  list: {
    access: 'read',
    arguments: (limits) => ({ options: pageOptions(limits).optional() }),
    run: async (work, { cursor, limit = work.pageLimit } = {}) => {
      const fingerprint = fingerprintOf('scopes', '', {})
      const [after] = cursor === undefined ? [] : readCursor(cursor, fingerprint, ['string'])
      const found = await work.backend.upkeep.scopes(after?.toString(), limit + 1, work)
      const items = found.slice(0, limit)
      const last = items.at(-1)
      return { items, next: found.length > limit && last !== undefined ? writeCursor(fingerprint, [last]) : null }
    },
  },
  stats: {
    access: 'read',
    arguments: (limits) => ({ scope: idOf('scope', limits), options: callOptions.optional() }),
    run: (work, scope) => work.backend.upkeep.stats(scope, work),
  },
  delete: {
    access: 'write',
    arguments: (limits) => ({ scope: idOf('scope', limits), options: callOptions.optional() }),
    run: async (work, scope) => {
      if (!(await work.backend.upkeep.hideScope(scope, work))) throw notFound('scope', scope)
      await sweep(work, null)
    },
  },
}

export const adminOperations: OperationsOf<Omit<Admin, 'scopes'>> = {
  stats: {
    access: 'read',
    arguments: () => ({ options: callOptions.optional() }),
    run: (work) => work.backend.upkeep.stats(null, work),
  },
  integrity: {
    access: 'read',
    arguments: () => ({ options: callOptions.optional() }),
    run: async (work) => {
      const problems = await work.backend.upkeep.integrity(work)
      return { ok: problems.length === 0, problems }
    },
  },
  sweep: {
    access: 'write',
    arguments: () => ({ options: callOptions.optional() }),
    run: (work) => sweep(work, null),
  },
}
