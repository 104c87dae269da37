import type { FilterColumn, LabelKind, SessionConditions } from '@holdfast/core'
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { sessionFields } from '../codec/sessions.js'
import type { Scoped, Writing } from '../compile.js'
import type { Database } from '../schema/tables.js'
import { deletedShelf } from '../shown.js'

export interface Filtered extends Scoped {
  readonly conditions: SessionConditions
}

type Sessions = ExpressionBuilder<Database & { s: Database['holdfast_sessions'] }, 's'>
type Condition = Expression<SqlBool>

/** A text that is the same for conditions that differ only in their values. */
export function formOf({ equals, statuses, archived, descendants, ...rest }: SessionConditions): string {
  const named = Object.entries(rest).filter(([, value]) => value !== undefined)
  return [
    archived,
    ...Object.keys(equals).sort(),
    ...(statuses === undefined ? [] : [`status ${statuses.length}`]),
    ...(descendants === true ? ['descendants'] : []),
    ...named.map(([name]) => name).sort(),
  ].join()
}

/** What a session `s` must meet. The example says which conditions there are; values come from the input of each call. */
export function meets<Input extends Filtered>(
  eb: Sessions,
  writing: Writing<Input>,
  example: SessionConditions,
): Condition {
  const { computed } = writing
  const conditions: Condition[] = [isOnShelf(example)]

  for (const name of Object.keys(example.equals)) {
    // The keys of `equals` are filter columns.
    const property = name as FilterColumn
    const column = sessionFields.find((field) => field.property === property)?.column
    if (column === undefined) throw new TypeError(`Sessions have no column for ${property}.`)
    conditions.push(
      sql<SqlBool>`${sql.ref(`s.${column}`)} = ${computed((input) => input.conditions.equals[property] ?? '')}`,
    )
  }
  if (example.statuses !== undefined) {
    const places = example.statuses.map((_, at) => computed((input) => input.conditions.statuses?.[at] ?? ''))
    conditions.push(places.length === 0 ? sql<SqlBool>`1 = 0` : eb('s.status', 'in', places))
  }
  if (example.tag !== undefined) {
    conditions.push(
      isLabelled(eb, 'tag', (value) => sql`${value} = ${computed((input) => input.conditions.tag ?? '')}`),
    )
  }
  if (example.participant !== undefined) {
    const participant = computed((input: Input) => input.conditions.participant ?? '')
    conditions.push(isLabelled(eb, 'participant', (value) => sql`${value} = ${participant}`))
  }
  if (example.folder !== undefined) {
    const folder = computed((input: Input) => input.conditions.folder ?? '')
    conditions.push(
      isLabelled(eb, 'folder', (value) =>
        example.descendants === true ? isWithin(value, writing) : sql`${value} = ${folder}`,
      ),
    )
  }
  if (example.titleContains !== undefined) {
    const pattern = computed((input: Input) => `%${escapedForLike(input.conditions.titleContains ?? '')}%`)
    conditions.push(sql<SqlBool>`${sql.ref('s.title_folded')} like ${pattern} escape '\\'`)
  }
  if (example.activeAfter !== undefined) {
    conditions.push(
      eb(
        's.last_activity_at',
        '>',
        computed((input) => input.conditions.activeAfter ?? 0),
      ),
    )
  }
  if (example.activeBefore !== undefined) {
    conditions.push(
      eb(
        's.last_activity_at',
        '<',
        computed((input) => input.conditions.activeBefore ?? 0),
      ),
    )
  }
  if (example.createdAfter !== undefined) {
    conditions.push(
      eb(
        's.created_at',
        '>',
        computed((input) => input.conditions.createdAfter ?? 0),
      ),
    )
  }
  if (example.createdBefore !== undefined) {
    conditions.push(
      eb(
        's.created_at',
        '<',
        computed((input) => input.conditions.createdBefore ?? 0),
      ),
    )
  }
  return eb.and(conditions)
}

/** Few sessions have the same of these, and each has an index. */
const selective: readonly FilterColumn[] = ['lineageSession', 'externalRef']

function isOnShelf({ archived, equals }: SessionConditions): Condition {
  // The index by activity is taken for its order, also where it means to look at every session. A sum keeps it away.
  const hasFew = selective.some((column) => equals[column] !== undefined)
  const shelf = hasFew ? sql<number>`${sql.ref('s.shelf')} + 0` : sql.ref<number>('s.shelf')
  switch (archived) {
    case 'no':
      return sql<SqlBool>`${shelf} = 0`
    case 'only':
      return sql<SqlBool>`${shelf} = 1`
    case 'any':
      return sql<SqlBool>`${shelf} < ${sql.lit(deletedShelf)}`
  }
}

function isLabelled(
  eb: Sessions,
  kind: LabelKind,
  matches: (value: Expression<string>) => Expression<unknown>,
): Condition {
  return eb.exists(
    eb
      .selectFrom('holdfast_labels as l')
      .select('l.value')
      .whereRef('l.scope', '=', 's.scope')
      .whereRef('l.session', '=', 's.key')
      .where('l.kind', '=', kind)
      .where(sql<SqlBool>`${matches(sql.ref<string>('l.value'))}`),
  )
}

/** The folder or one below it. In the order of bytes `0` is what follows `/`. */
function isWithin<Input extends Filtered>(
  value: Expression<string>,
  { computed }: Writing<Input>,
): Expression<SqlBool> {
  const folder = computed((input) => input.conditions.folder ?? '')
  const from = computed((input) => `${input.conditions.folder ?? ''}/`)
  const to = computed((input) => `${input.conditions.folder ?? ''}0`)
  return sql<SqlBool>`(${value} = ${folder} or (${value} >= ${from} and ${value} < ${to}))`
}

function escapedForLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
