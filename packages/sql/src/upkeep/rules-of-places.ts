import { type SqlBool, sql } from 'kysely'
import type { Compiler } from '../compile.js'
import { problemsPerRule, type Rule } from './rule.js'

/** Positions, indexes and seqs run without a gap, and what counts them is right. */
export function rulesOfPlaces({ compileAcross: compile }: Compiler): readonly Rule[] {
  return [
    {
      kind: 'gap',
      broken: compile<object>('a branch with a gap in its messages', ({ db }) =>
        db
          .selectFrom('holdfast_branches as b')
          .innerJoin(
            (eb) =>
              eb
                .selectFrom('holdfast_messages')
                .select((m) => [
                  'scope',
                  'branch',
                  m.fn.countAll<number>().as('count'),
                  m.fn.min('position').as('first'),
                  m.fn.max('position').as('last'),
                ])
                .groupBy(['scope', 'branch'])
                .as('own'),
            (join) => join.onRef('own.scope', '=', 'b.scope').onRef('own.branch', '=', 'b.key'),
          )
          .select(['b.scope', 'b.key'])
          .where((eb) =>
            eb.or([
              eb('own.first', '<>', eb('b.base', '+', eb.lit(1))),
              eb('own.last', '<>', eb('b.base', '+', eb.ref('own.count'))),
            ]),
          )
          .limit(sql.lit(problemsPerRule)),
      ),
    },
    {
      kind: 'count',
      broken: compile<object>('a branch whose head is not its last position', ({ db }) =>
        db
          .selectFrom('holdfast_branches as b')
          .select(['b.scope', 'b.key'])
          .where(({ eb, fn, selectFrom }) =>
            eb(
              'b.head',
              '<>',
              fn.coalesce(
                selectFrom('holdfast_messages as m')
                  .select((last) => last.fn.max('m.position').as('position'))
                  .whereRef('m.scope', '=', 'b.scope')
                  .whereRef('m.branch', '=', 'b.key'),
                eb.ref('b.base'),
              ),
            ),
          )
          .limit(sql.lit(problemsPerRule)),
      ),
    },
    {
      kind: 'gap',
      broken: compile<object>('a journal with a gap', ({ db }) =>
        db
          .selectFrom('holdfast_journal')
          .select(['scope', 'session'])
          .groupBy(['scope', 'session'])
          .having((eb) => eb.or([eb(eb.fn.min('seq'), '<>', 1), eb(eb.fn.max('seq'), '<>', eb.fn.countAll<number>())]))
          .limit(sql.lit(problemsPerRule)),
      ),
    },
    {
      kind: 'gap',
      broken: compile<object>('a message with a gap in its parts', ({ db }) =>
        db
          .selectFrom('holdfast_parts')
          .select(['scope', 'branch', 'position'])
          .groupBy(['scope', 'branch', 'position'])
          .having(sql<SqlBool>`max(${sql.ref('index')}) + 1 <> count(distinct ${sql.ref('index')})`)
          .limit(sql.lit(problemsPerRule)),
      ),
    },
    {
      kind: 'gap',
      broken: compile<object>('a part with a gap in its payload', ({ db }) =>
        db
          .selectFrom('holdfast_parts')
          .select(['scope', 'branch', 'position', 'index'])
          .groupBy(['scope', 'branch', 'position', 'index'])
          .having(sql<SqlBool>`max(${sql.ref('chunk')}) + 1 <> count(*)`)
          .limit(sql.lit(problemsPerRule)),
      ),
    },
  ]
}
