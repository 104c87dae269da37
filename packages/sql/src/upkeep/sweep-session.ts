import type { Call } from '@holdfast/core'
import { sql } from 'kysely'
import { bind, type Compiler } from '../compile.js'
import type { About, SqlExecutor, Step } from '../executor.js'
import { highestShared } from './leftovers.js'
import { type Deleted, emptyRows, type OneBranch } from './sweep-rows.js'

interface Bounded extends Deleted {
  readonly rows: number
}

interface Above extends OneBranch {
  readonly position: number
}

interface Entries extends Deleted {
  readonly seq: number
}

/** Removes up to about so many rows of a deleted session, in one transaction, and says how many. */
export type SweepSession = (session: Deleted, rows: number, about: About, call: Call) => Promise<number>

/**
 * Every step looks again whether something is needed, so a fork that was made since the read keeps what it shows. What
 * goes, goes newest first: what stays has no gaps, whenever it stops.
 */
export function sweepSession(executor: SqlExecutor, compiler: Compiler): SweepSession {
  const { hold, branches, others, removeMessages, lowerHead, removeEntries, removeLabels } = contentStatements(compiler)
  const { freeParent, removeBranch, removeSession, settle } = emptyRows(compiler)

  return async (session, rows, about, call) => {
    const [found = [], [rest] = []] = await executor.read(
      [bind(branches, { ...session, rows }), bind(others, session)],
      about,
      call,
    )
    const { scope } = session
    // A branch has a higher key than the one it was made from.
    const own = found.map((row) => row.map(Number)).sort(([left = 0], [right = 0]) => right - left)
    const steps: Step[] = [{ ...bind(hold, session), expects: 1 }]
    let left = rows
    for (const [branch = 0, kept = 0, top = 0, partsFrom = 0, parts = 0] of own) {
      if (top <= kept || left <= 0) continue
      // Where the newest parts alone are as many as may go, the messages without them do not count.
      const lowest = Math.max(kept, top - left, parts < rows ? 0 : partsFrom - 1)
      const position = Math.min(lowest, top - 1)
      steps.push(bind(removeMessages, { scope, branch, position }), bind(lowerHead, { scope, branch }))
      left -= top - position + parts
    }
    const [lastSeq = 0, labels = 0] = (rest ?? []).map(Number)
    if (left > 0 && lastSeq > 0) {
      steps.push(bind(removeEntries, { ...session, seq: lastSeq - left }))
      left -= lastSeq
    }
    if (left > 0) {
      steps.push(bind(removeLabels, session))
      for (const [branch = 0] of own) {
        steps.push(bind(freeParent, { scope, branch }), bind(removeBranch, { scope, branch }))
      }
      steps.push(bind(removeSession, session), bind(settle, session))
      left -= labels + own.length + 1
    }
    await executor.write(steps, about, call)
    return rows - left
  }
}

function contentStatements({ traits, compile }: Compiler) {
  return {
    hold: compile<Deleted>('hold a deleted session', ({ db, scope, slot }) =>
      traits.holding(
        db
          .selectFrom('holdfast_sessions')
          .select('key')
          .where('scope', '=', scope)
          .where('key', '=', slot('session'))
          .where('unswept', '=', 1),
        'holdfast_sessions',
      ),
    ),

    /** (key, highest position shared, highest position, and of the newest parts the lowest position and the number). */
    branches: compile<Bounded>('look through the branches of a deleted session', ({ db, scope, slot }) =>
      db
        .selectFrom('holdfast_branches as b')
        .select((eb) => {
          const newestParts = eb
            .selectFrom('holdfast_parts as p')
            .select('p.position')
            .whereRef('p.scope', '=', 'b.scope')
            .whereRef('p.branch', '=', 'b.key')
            .where('p.position', '>', sql<number>`coalesce(${highestShared(eb)}, 0)`)
            .orderBy('p.position', 'desc')
            .limit(slot('rows'))
            .as('newest')
          return [
            'b.key',
            sql<number>`coalesce(${highestShared(eb)}, 0)`.as('kept'),
            eb
              .selectFrom('holdfast_messages as m')
              .select((last) => last.fn.max('m.position').as('position'))
              .whereRef('m.scope', '=', 'b.scope')
              .whereRef('m.branch', '=', 'b.key')
              .as('top'),
            eb
              .selectFrom(newestParts)
              .select((lowest) => lowest.fn.min('newest.position').as('position'))
              .as('parts_from'),
            eb
              .selectFrom(newestParts)
              .select((all) => all.fn.countAll<number>().as('count'))
              .as('parts'),
          ]
        })
        .where('b.scope', '=', scope)
        .where('b.session', '=', slot('session')),
    ),

    /** (last seq, number of labels). */
    others: compile<Deleted>('look through a deleted session', ({ db, scope, slot }) =>
      db
        .selectFrom('holdfast_sessions as s')
        .select((eb) => [
          eb
            .selectFrom('holdfast_journal as j')
            .select((last) => last.fn.max('j.seq').as('seq'))
            .whereRef('j.scope', '=', 's.scope')
            .whereRef('j.session', '=', 's.key')
            .as('last_seq'),
          eb
            .selectFrom('holdfast_labels as l')
            .select((all) => all.fn.countAll<number>().as('count'))
            .whereRef('l.scope', '=', 's.scope')
            .whereRef('l.session', '=', 's.key')
            .as('labels'),
        ])
        .where('s.scope', '=', scope)
        .where('s.key', '=', slot('session')),
    ),

    removeMessages: compile<Above>('remove messages that nothing shows', ({ db, scope, slot }) =>
      db
        .deleteFrom('holdfast_messages')
        .where('scope', '=', scope)
        .where('branch', '=', slot('branch'))
        .where('position', '>', slot('position'))
        .where(({ eb, selectFrom }) =>
          eb(
            'position',
            '>',
            sql<number>`coalesce(${selectFrom('holdfast_branches as c')
              .select((child) => child.fn.max('c.base').as('base'))
              .where('c.scope', '=', scope)
              .where('c.parent', '=', slot('branch'))}, 0)`,
          ),
        ),
    ),

    lowerHead: compile<OneBranch>('lower the head of a branch', ({ db, scope, slot }) =>
      db
        .updateTable('holdfast_branches')
        .set(({ fn, selectFrom, ref }) => ({
          head: fn.coalesce(
            selectFrom('holdfast_messages as m')
              .select((last) => last.fn.max('m.position').as('position'))
              .whereRef('m.scope', '=', 'holdfast_branches.scope')
              .whereRef('m.branch', '=', 'holdfast_branches.key'),
            ref('base'),
          ),
        }))
        .where('scope', '=', scope)
        .where('key', '=', slot('branch')),
    ),

    removeEntries: compile<Entries>('remove journal entries of a deleted session', ({ db, scope, slot }) =>
      db
        .deleteFrom('holdfast_journal')
        .where('scope', '=', scope)
        .where('session', '=', slot('session'))
        .where('seq', '>', slot('seq')),
    ),

    removeLabels: compile<Deleted>('remove the labels of a deleted session', ({ db, scope, slot }) =>
      db.deleteFrom('holdfast_labels').where('scope', '=', scope).where('session', '=', slot('session')),
    ),
  }
}
