import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../schema/tables.js'

// What a deleted session may still hold. A branch is needed while another was made from it, and of its messages those up
// to the highest position that another was made at.

type Branches = ExpressionBuilder<Database & { b: Database['holdfast_branches'] }, 'b'>

/** The highest position of the branch `b` that another branch was made at; null when none was. */
export function highestShared(eb: Branches) {
  return eb
    .selectFrom('holdfast_branches as c')
    .select((child) => child.fn.max('c.base').as('base'))
    .whereRef('c.scope', '=', 'b.scope')
    .whereRef('c.parent', '=', 'b.key')
}

/** Whether the branch `b` holds messages that no branch made from it shows. */
export function hasUnshownMessages(eb: Branches): Expression<SqlBool> {
  return eb.exists(
    eb
      .selectFrom('holdfast_messages as m')
      .select('m.position')
      .whereRef('m.scope', '=', 'b.scope')
      .whereRef('m.branch', '=', 'b.key')
      .where('m.position', '>', sql<number>`coalesce(${highestShared(eb)}, 0)`),
  )
}

/** Whether no other branch was made from the branch `b`. */
export function isChildless(eb: Branches): Expression<SqlBool> {
  return eb.not(
    eb.exists(
      eb
        .selectFrom('holdfast_branches as c')
        .select('c.key')
        .whereRef('c.scope', '=', 'b.scope')
        .whereRef('c.parent', '=', 'b.key'),
    ),
  )
}
