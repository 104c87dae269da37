import { sql } from 'kysely'
import type { Compiler } from '../compile.js'
import { deletedShelf } from '../shown.js'
import { problemsPerRule, type Rule } from './rule.js'

/** Columns that follow from others of their row, because an index needs them so. */
export function rulesOfColumns({ compileAcross: compile }: Compiler): readonly Rule[] {
  return [
    {
      kind: 'count',
      broken: compile<object>('a session that is not on its shelf', ({ db }) =>
        db
          .selectFrom('holdfast_sessions as s')
          .select(['s.scope', 's.key'])
          .where((eb) =>
            eb(
              's.shelf',
              '<>',
              eb
                .case()
                .when('s.id', 'is', null)
                .then(sql.lit(deletedShelf))
                .when('s.archived_at', 'is', null)
                .then(sql.lit(0))
                .else(sql.lit(1))
                .end(),
            ),
          )
          .limit(sql.lit(problemsPerRule)),
      ),
    },
    {
      kind: 'count',
      broken: compile<object>('a session whose reference is not of its source', ({ db }) =>
        db
          .selectFrom('holdfast_sessions as s')
          .select(['s.scope', 's.key'])
          .where((eb) => eb('s.external_source', '<>', eb.fn.coalesce('s.source', sql.lit(''))))
          .limit(sql.lit(problemsPerRule)),
      ),
    },
  ]
}
