import { describe, expect, it } from 'vitest'
import { type Change, type Migration, promisedTables } from '../src/schema/migration.js'
import { migrations } from '../src/schema/migrations.js'
import { integer, nullableText, type Table, table, text, withDefault } from '../src/schema/shape.js'
import * as tables from '../src/schema/tables.js'

/** What a list of migrations must not do, said in words. Libraries of earlier versions go on using the database. */
function faultsOf(list: readonly Migration[]): readonly string[] {
  return list.flatMap((migration, at) => [
    ...(migration.version === at + 1 ? [] : [`version ${migration.version} is not ${at + 1}`]),
    ...(migration.minReader >= (list[at - 1]?.minReader ?? 1) ? [] : ['the oldest reader moves back']),
    ...(migration.minReader <= migration.version ? [] : ['no library can read it']),
    ...migration.changes.flatMap((change, index) => {
      const known = promisedTables([...list.slice(0, at), { ...migration, changes: migration.changes.slice(0, index) }])
      return faultsOfChange(change, known, migration)
    }),
  ])
}

function faultsOfChange(change: Change, known: ReadonlyMap<string, Table>, migration: Migration): readonly string[] {
  switch (change.kind) {
    case 'create table':
      return known.has(change.table.name) ? [`${change.table.name} is created twice`] : []
    case 'add column':
      if (change.name in (known.get(change.table)?.columns ?? {})) return [`${change.table}.${change.name} is retyped`]
      if (change.column.nullable || change.column.defaultTo !== undefined) return []
      return [`${change.table}.${change.name} has no default`]
    case 'add index': {
      const here = migration.changes.some((other) => other.kind === 'create table' && other.table.name === change.table)
      return change.index.unique && !here ? [`${change.index.name} can fail on rows that are there`] : []
    }
    case 'rebuild':
      return migration.minReader === migration.version
        ? []
        : [`older libraries would read the rebuilt ${change.table.name}`]
  }
}

const notes = table({
  name: 'holdfast_notes',
  columns: { key: integer, title: text },
  primaryKey: ['key'],
  foreignKeys: [],
  indexes: [],
})
const first: Migration = { version: 1, name: 'notes', minReader: 1, changes: [{ kind: 'create table', table: notes }] }
const second = (...changes: Change[]): readonly Migration[] => [
  first,
  { version: 2, name: 'more', minReader: 1, changes },
]

describe('the discipline of migrations', () => {
  it('is kept by the migrations of the library', () => {
    expect(faultsOf(migrations)).toEqual([])
  })

  it('has the tables that queries are typed by as what the migrations add up to', () => {
    const described = Object.fromEntries(Object.values(tables).map((described) => [described.name, described]))
    const { holdfast_migrations: _, ...promised } = Object.fromEntries(promisedTables(migrations))
    expect(promised).toEqual(described)
  })

  it('accepts a new table, a nullable or defaulted column and an index', () => {
    const changes: Change[] = [
      { kind: 'create table', table: { ...notes, name: 'holdfast_more' } },
      { kind: 'add column', table: notes.name, name: 'body', column: nullableText },
      { kind: 'add column', table: notes.name, name: 'size', column: withDefault(integer, 0) },
      { kind: 'add index', table: notes.name, index: { name: 'holdfast_notes_size', columns: ['size'] } },
    ]
    expect(faultsOf(second(...changes))).toEqual([])
  })

  it('refuses a column that is neither nullable nor has a default', () => {
    const change: Change = { kind: 'add column', table: notes.name, name: 'body', column: text }
    expect(faultsOf(second(change))).toEqual(['holdfast_notes.body has no default'])
  })

  it('refuses a column that is there already with another type', () => {
    const change: Change = { kind: 'add column', table: notes.name, name: 'title', column: withDefault(integer, 0) }
    expect(faultsOf(second(change))).toEqual(['holdfast_notes.title is retyped'])
  })

  it('refuses a table that is created a second time, in another shape', () => {
    const change: Change = { kind: 'create table', table: { ...notes, columns: { key: integer } } }
    expect(faultsOf(second(change))).toEqual(['holdfast_notes is created twice'])
  })

  it('refuses a unique index on rows that are there', () => {
    const index = { name: 'holdfast_notes_title', columns: ['title'], unique: true }
    const faults = ['holdfast_notes_title can fail on rows that are there']
    expect(faultsOf(second({ kind: 'add index', table: notes.name, index }))).toEqual(faults)
  })

  it('refuses to rename, drop or retype while older libraries may still read', () => {
    const renamed: Change = {
      kind: 'rebuild',
      table: { ...notes, columns: { key: integer, name: text } },
      renamed: { name: 'title' },
    }
    expect(faultsOf(second(renamed))).toEqual(['older libraries would read the rebuilt holdfast_notes'])
    expect(faultsOf([first, { version: 2, name: 'rename', minReader: 2, changes: [renamed] }])).toEqual([])
  })

  it('refuses numbers with a gap and a reader that moves back or ahead', () => {
    const later = { name: 'more', changes: [] }
    expect(faultsOf([first, { ...later, version: 3, minReader: 1 }])).toEqual(['version 3 is not 2'])
    expect(faultsOf([first, { ...later, version: 2, minReader: 3 }])).toEqual(['no library can read it'])
    expect(faultsOf([first, { ...later, version: 2, minReader: 0 }])).toEqual(['the oldest reader moves back'])
  })
})
