import { operations } from '@holdfast/core'
import { Pool } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { administer, callEveryOperation } from './support/every-operation.js'
import { overhear } from './support/overheard.js'
import { connected, ownDatabase } from './support/servers.js'
import { openStore } from './support/stores.js'

// A database that is spread over several servers keeps the rows of a scope together. That takes a scope in every key that
// must be unique and in every reference, and in every statement that is to be answered by one server.

/** They are on every server, whole. */
const everywhere = ['holdfast_migrations', 'holdfast_scopes']

/** Primary keys, unique indexes and references of the library's tables that do not keep to a scope. */
async function keysAcrossScopes(url: string): Promise<readonly string[]> {
  const client = await connected(url)
  const { rows } = await client.query<{ key: string }>(
    `with tables as (select c.oid, c.relname from pg_class c
         where c.relkind in ('r', 'p') and c.relname like 'holdfast\\_%' and c.relname <> all ($1)),
       keys as (
         select t.relname, i.relname as name, x.indkey::int[] as columns, t.oid
         from tables t join pg_index x on x.indrelid = t.oid and (x.indisunique or x.indisprimary or x.indisexclusion)
           join pg_class i on i.oid = x.indexrelid
         union all
         select t.relname, k.conname, k.conkey::int[], t.oid
         from tables t join pg_constraint k on k.conrelid = t.oid and k.contype in ('p', 'u', 'f', 'x')),
       astray as (
         select k.relname || '.' || k.name as key from keys k where not exists (
           select from pg_attribute a where a.attrelid = k.oid and a.attnum = any (k.columns) and a.attname = 'scope')
         union all
         -- A reference leads to a row of the same scope, or to the scope itself.
         select t.relname || '.' || k.conname from tables t join pg_constraint k on k.conrelid = t.oid and k.contype = 'f'
         where not exists (
           select from generate_subscripts(k.conkey, 1) place
             join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[place]
             join pg_attribute b on b.attrelid = k.confrelid and b.attnum = k.confkey[place]
           where a.attname = 'scope'
             and (b.attname = 'scope' or (k.confrelid::regclass::text = 'holdfast_scopes' and b.attname = 'key'))))
     select distinct key from astray order by key`,
    [everywhere],
  )
  return rows.map(({ key }) => key)
}

/** The tables that a statement reads or writes without keeping to a scope, by their names or what it calls them. */
function tablesAcrossScopes(text: string): readonly string[] {
  const found: string[] = []
  for (const [, verb, table = '', alias] of text.matchAll(
    /(\b(?:from|join|update|into|using)|,) "public"\."(holdfast_\w+)"(?: as "(\w+)")?/g,
  )) {
    if (everywhere.includes(table)) continue
    const scope = `"${alias ?? table}"."scope"`
    const keeps =
      verb === 'into'
        ? new RegExp(`into "public"\\."${table}" \\((?:"\\w+", )*"scope"[,)]`).test(text)
        : [`${scope} = `, ` = ${scope}`].some((condition) => text.includes(condition)) ||
          (alias === undefined && / "scope" = /.test(text))
    if (!keeps) found.push(alias ?? table)
  }
  return found
}

describe('keys and references', () => {
  it('contain the scope, except those of what is everywhere', async () => {
    const url = await ownDatabase()
    await openStore({ connectionString: url, maxConnections: 1 })
    expect(await keysAcrossScopes(url)).toEqual([])
    const client = await connected(url)
    const { rows } = await client.query(
      `select relname as name from pg_class c where relkind = 'r' and relname like 'holdfast\\_%' and not exists (
         select from pg_attribute a where a.attrelid = c.oid and a.attname = 'scope' and a.attnotnull) order by 1`,
    )
    expect(rows.map(({ name }) => name)).toEqual(everywhere)
  })

  it('would be found if they did not', async () => {
    const url = await ownDatabase()
    await openStore({ connectionString: url, maxConnections: 1 })
    const client = await connected(url)
    await client.query(`
      create table holdfast_books (scope bigint not null, key bigint primary key, title text unique, shelf bigint,
        branch bigint, branch_scope bigint, unique (scope, shelf),
        constraint same foreign key (scope, branch) references holdfast_branches (scope, key),
        constraint crossed foreign key (branch_scope, branch) references holdfast_branches (scope, key));
      create unique index holdfast_books_shelf on holdfast_books (shelf) where shelf is not null`)
    expect(await keysAcrossScopes(url)).toEqual([
      'holdfast_books.crossed',
      'holdfast_books.holdfast_books_pkey',
      'holdfast_books.holdfast_books_shelf',
      'holdfast_books.holdfast_books_title_key',
    ])
  })
})

describe('statements', () => {
  it('that a scope sends keep to it, whatever is called', async () => {
    const pool = new Pool({ connectionString: await ownDatabase(), max: 3 })
    onTestFinished(() => pool.end())
    const sent = overhear(pool)
    const called = new Set<string>()
    const store = await openStore({ pool, observe: ({ operation }) => void called.add(operation) })
    sent.clear()

    await callEveryOperation(store.scope('a'))
    // Once more, when the store has seen the scope before, and once when it has not and there is one.
    await callEveryOperation(store.scope('a'))
    await callEveryOperation((await openStore({ pool })).scope('a'))
    expect([...called]).toEqual(expect.arrayContaining(operations.map(({ name }) => name)))
    const ofScope = [...sent].filter((text) => text.includes('"holdfast_'))
    expect(ofScope.length).toBeGreaterThan(80)
    for (const text of ofScope) expect(tablesAcrossScopes(text), text).toEqual([])

    sent.clear()
    await store.scope('a').sessions.create()
    await administer(store.admin, 'a')
    const across = [...sent].filter((text) => tablesAcrossScopes(text).length > 0)
    expect(across.length).toBeGreaterThan(5)
    for (const text of across) expect(text).not.toMatch(/\b(insert|update|delete)\b/)
  })

  it('would be found if they did not', () => {
    expect(tablesAcrossScopes('select "id" from "public"."holdfast_sessions" where "id" = $1')).toEqual([
      'holdfast_sessions',
    ])
    expect(tablesAcrossScopes('update "public"."holdfast_parts" set "type" = $1 where "position" = $2')).toEqual([
      'holdfast_parts',
    ])
    expect(tablesAcrossScopes('insert into "public"."holdfast_labels" ("session", "kind") values ($1, $2)')).toEqual([
      'holdfast_labels',
    ])
    expect(
      tablesAcrossScopes(
        `select "m"."id" from "public"."holdfast_branches" as "b" join "public"."holdfast_messages" as "m"
         on "m"."branch" = "b"."key" where "b"."scope" = $1`,
      ),
    ).toEqual(['m'])
  })
})
