import { describe, expect, it } from 'vitest'
import type { Form } from '../src/compile.js'
import { postgresTraits } from '../src/dialects/postgres.js'
import { sqliteTraits } from '../src/dialects/sqlite.js'
import type { SqlTraits } from '../src/traits.js'
import { everyStatement } from './support/every-statement.js'

const dialects: readonly SqlTraits[] = [sqliteTraits, postgresTraits('hosts')]

const forms: readonly Form[] = [
  { scope: 'by key', chained: false },
  { scope: 'by id', chained: false },
  { scope: 'by key', chained: true },
  { scope: 'by id', chained: true },
]

/** They are asked across scopes, by administration only. */
const administrative = new Set([
  'count holdfast_sessions',
  'count holdfast_branches',
  'count holdfast_messages',
  'count holdfast_parts',
  'count holdfast_labels',
  'count holdfast_journal',
  'find a deleted session',
  'a branch with a gap in its messages',
  'a message with a gap in its parts',
  'a part with a gap in its payload',
  'a journal with a gap',
  'a session that is not on its shelf',
  'a session whose reference is not of its source',
  'find the next sessions to look at',
  'look at sessions',
  'look at participants',
  'look at the latest changes of status',
  'find the next messages to look at',
  'look at messages',
  'look at parts',
  'find the next branches to look at',
  'look at branches',
  'find the next journal entries to look at',
  'look at journal entries',
])

/** What a statement reads or writes without keeping to a scope, by table or alias. */
function unscoped(text: string): readonly string[] {
  const found: string[] = []
  for (const [, verb, table, alias] of text.matchAll(
    /\b(from|join|update|into) (?:"hosts".)?"holdfast_(?!scopes\b)(\w+)"(?: as "(\w+)")?/g,
  )) {
    const name = alias ?? `holdfast_${table}`
    const qualified = `"${name}"."scope"`
    const kept =
      verb === 'into'
        ? new RegExp(`into (?:"hosts".)?"holdfast_${table}" \\((?:"\\w+", )*"scope"[,)]`).test(text)
        : text.includes(`${qualified} = `) ||
          text.includes(`= ${qualified}`) ||
          (alias === undefined && / "scope" = /.test(text))
    if (!kept) found.push(name)
  }
  return found
}

describe.each(dialects)('statements of $dialect', (traits) => {
  describe.each(forms)('that find their scope $scope, chained: $chained', (form) => {
    it('touch no rows without their scope', async () => {
      const statements = await everyStatement(traits, form)
      const astray = statements
        .filter(({ name }) => !administrative.has(name))
        .flatMap(({ name, text }) => unscoped(text).map((table) => `${name}: ${table}`))
      expect(astray).toEqual([])
      expect(statements.length).toBeGreaterThan(90)
    })

    it('name their columns, page by keys, and leave JSON alone', async () => {
      for (const { text } of await everyStatement(traits, form)) {
        expect(text).not.toMatch(/select \*|\.\*/)
        expect(text).not.toMatch(/\boffset\b/i)
        expect(text).not.toMatch(/\bjson(b?_|b?\()|->/i)
      }
    })

    it('have a value for each of their places', async () => {
      for (const { text, slots } of await everyStatement(traits, form)) {
        const places = text.match(traits.dialect === 'postgres' ? /\$\d+/g : /\?/g) ?? []
        expect(places).toHaveLength(slots.length)
      }
    })
  })
})

describe('the audit of statements', () => {
  it('exempts only statements that need it', async () => {
    const names = (await everyStatement(sqliteTraits, { scope: 'by key', chained: false }))
      .filter(({ text }) => unscoped(text).length > 0)
      .map(({ name }) => name)
    expect(new Set(names)).toEqual(administrative)
  })

  it('sees a table that is read or written outside of its scope', () => {
    expect(unscoped('select "id" from "holdfast_sessions" where "id" = ?')).toEqual(['holdfast_sessions'])
    expect(unscoped('delete from "holdfast_parts" where "position" = ?')).toEqual(['holdfast_parts'])
    expect(unscoped('insert into "holdfast_labels" ("session", "kind") values (?, ?)')).toEqual(['holdfast_labels'])
    expect(
      unscoped(
        'select "m"."id" from "holdfast_branches" as "b" join "holdfast_messages" as "m" on "m"."branch" = "b"."key" where "b"."scope" = ?',
      ),
    ).toEqual(['m'])
  })
})
