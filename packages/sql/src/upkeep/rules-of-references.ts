import { sql } from 'kysely'
import type { Compiler } from '../compile.js'
import { deletedShelf } from '../shown.js'
import { hasUnshownMessages, isChildless } from './leftovers.js'
import { problemsPerRule, type Rule } from './rule.js'

/** Rows that lead nowhere, and rows that nothing leads to any more. */
export function rulesOfReferences({ compileAcross: compile }: Compiler): readonly Rule[] {
  return [
    {
      kind: 'orphan',
      broken: compile<object>('a part without its message', ({ db }) =>
        db
          .selectFrom('holdfast_parts as p')
          .leftJoin('holdfast_messages as m', (join) =>
            join
              .onRef('m.scope', '=', 'p.scope')
              .onRef('m.branch', '=', 'p.branch')
              .onRef('m.position', '=', 'p.position'),
          )
          .select(['p.scope', 'p.branch', 'p.position'])
          .where('m.id', 'is', null)
          .limit(sql.lit(problemsPerRule)),
      ),
    },
    {
      kind: 'orphan',
      broken: compile<object>('a message without its branch', ({ db }) =>
        db
          .selectFrom('holdfast_messages as m')
          .leftJoin('holdfast_branches as b', (join) =>
            join.onRef('b.scope', '=', 'm.scope').onRef('b.key', '=', 'm.branch'),
          )
          .select(['m.scope', 'm.branch', 'm.position'])
          .where('b.id', 'is', null)
          .limit(sql.lit(problemsPerRule)),
      ),
    },
    {
      kind: 'orphan',
      broken: compile<object>('a branch without its session', ({ db }) =>
        db
          .selectFrom('holdfast_branches as b')
          .leftJoin('holdfast_sessions as s', (join) =>
            join.onRef('s.scope', '=', 'b.scope').onRef('s.key', '=', 'b.session'),
          )
          .select(['b.scope', 'b.key'])
          .where('s.key', 'is', null)
          .limit(sql.lit(problemsPerRule)),
      ),
    },
    {
      kind: 'orphan',
      broken: compile<object>('a label without its session', ({ db }) =>
        db
          .selectFrom('holdfast_labels as l')
          .leftJoin('holdfast_sessions as s', (join) =>
            join.onRef('s.scope', '=', 'l.scope').onRef('s.key', '=', 'l.session'),
          )
          .select(['l.scope', 'l.session'])
          .where('s.key', 'is', null)
          .limit(sql.lit(problemsPerRule)),
      ),
    },
    {
      kind: 'orphan',
      broken: compile<object>('a journal entry without its session', ({ db }) =>
        db
          .selectFrom('holdfast_journal as j')
          .leftJoin('holdfast_sessions as s', (join) =>
            join.onRef('s.scope', '=', 'j.scope').onRef('s.key', '=', 'j.session'),
          )
          .select(['j.scope', 'j.session', 'j.seq'])
          .where('s.key', 'is', null)
          .limit(sql.lit(problemsPerRule)),
      ),
    },
    {
      kind: 'orphan',
      broken: compile<object>('a session without its scope', ({ db }) =>
        db
          .selectFrom('holdfast_sessions as s')
          .leftJoin('holdfast_scopes as scope', 'scope.key', 's.scope')
          .select(['s.scope', 's.key'])
          .where('scope.key', 'is', null)
          .limit(sql.lit(problemsPerRule)),
      ),
    },
    {
      kind: 'pointer',
      broken: compile<object>('a session whose active branch is not its own', ({ db }) =>
        db
          .selectFrom('holdfast_sessions as s')
          .leftJoin('holdfast_branches as b', (join) =>
            join
              .onRef('b.scope', '=', 's.scope')
              .onRef('b.key', '=', 's.active_branch')
              .onRef('b.session', '=', 's.key'),
          )
          .select(['s.scope', 's.key'])
          .where('s.shelf', '<', deletedShelf)
          .where('b.key', 'is', null)
          .limit(sql.lit(problemsPerRule)),
      ),
    },
    {
      kind: 'pointer',
      broken: compile<object>('a branch whose parent does not own the message at its base', ({ db }) =>
        db
          .selectFrom('holdfast_branches as b')
          .leftJoin('holdfast_messages as m', (join) =>
            join.onRef('m.scope', '=', 'b.scope').onRef('m.branch', '=', 'b.parent').onRef('m.position', '=', 'b.base'),
          )
          .select(['b.scope', 'b.key'])
          .where((eb) =>
            eb.or([
              eb.and([eb('b.parent', 'is not', null), eb('m.id', 'is', null)]),
              eb.and([eb('b.parent', 'is', null), eb('b.base', '<>', 0)]),
            ]),
          )
          .limit(sql.lit(problemsPerRule)),
      ),
    },
    {
      kind: 'unswept',
      broken: compile<object>('a deleted session with rows that nothing shows', ({ db }) =>
        db
          .selectFrom('holdfast_sessions as s')
          .leftJoin('holdfast_branches as b', (join) =>
            join.onRef('b.scope', '=', 's.scope').onRef('b.session', '=', 's.key'),
          )
          .select(['s.scope', 's.key'])
          .distinct()
          .where('s.shelf', '=', deletedShelf)
          .where((eb) =>
            eb.or([eb('s.unswept', 'is not', null), eb('b.key', 'is', null), isChildless(eb), hasUnshownMessages(eb)]),
          )
          .limit(sql.lit(problemsPerRule)),
      ),
    },
    {
      kind: 'unswept',
      broken: compile<object>('a deleted scope that is still there', ({ db }) =>
        db.selectFrom('holdfast_scopes').select('key').where('id', 'is', null).limit(sql.lit(problemsPerRule)),
      ),
    },
  ]
}
