import { HoldfastError } from '@holdfast/core'
import type { SchemaReads, SchemaSession, SqlRow } from '../executor.js'
import { createIndex, createTable, literal, quoted, quotedList } from '../schema/ddl.js'
import { tablesFrom } from '../schema/found.js'
import type { Rebuild } from '../schema/migration.js'
import type { Table } from '../schema/shape.js'
import type { FoundTable, SchemaTraits } from '../traits.js'

/** The tables of every engine that speaks SQLite's SQL. */
export const sqliteSchema: SchemaTraits = {
  tableName: quoted,
  columnType: (type) => type,
  keyOrder: (columns) => columns,
  keysApart: false,
  tableSuffix: (table) => (table.clustered ? ' strict, without rowid' : ' strict'),
  assignedKey: (column) => `${quoted(column)} integer primary key autoincrement`,
  // The next one is looked up: writers are alone.
  numberedKey: (column) => `${quoted(column)} integer not null`,
  inspect,
  sameType: (found, type) => found.toLowerCase() === type,
  rebuild,
  brokenReferences,
}

async function inspect(session: SchemaReads): Promise<readonly FoundTable[]> {
  const ours = `t.type = 'table' and substr(t.name, 1, 9) = 'holdfast_'`
  // One statement for all that makes an index or a key, so that none is seen half made by another process.
  const columns = await session.all(
    `select t.name, iif(l.strict, ' strict', '') || iif(l.wr, ', without rowid', ''), c.name, c.type,
       c."notnull" = 0 and c.pk = 0, c.dflt_value, c.pk, c.pk > 0 and t.sql like '%autoincrement%'
     from sqlite_schema t join pragma_table_list(t.name) l join pragma_table_xinfo(t.name) c
     where ${ours} and l.schema = 'main' order by t.name, c.cid`,
  )
  const indexes = await session.all(
    `select t.name, l.name, l."unique", iif(l.partial, s.sql, null),
       coalesce(c.name, '(expression)') || iif(c."desc", ' desc', '') || iif(upper(c.coll) = 'BINARY', '', ' collate ' || c.coll)
     from sqlite_schema t join pragma_index_list(t.name) l join pragma_index_xinfo(l.name) c
       join sqlite_schema s on s.type = 'index' and s.name = l.name
     where ${ours} and l.origin = 'c' and c.key order by t.name, l.name, c.seqno`,
  )
  const references = await session.all(
    `select t.name, f.id, iif(f.on_delete = 'NO ACTION', null, f.on_delete), f."table", f."from", f."to"
     from sqlite_schema t join pragma_foreign_key_list(t.name) f where ${ours} order by t.name, f.id, f.seq`,
  )
  return tablesFrom({ columns, indexes: indexes.map(withCondition), references })
}

/** The engine says only that an index is partial, and remembers how it was written. */
function withCondition([table = null, index = null, unique = null, definition = null, column = null]: SqlRow): SqlRow {
  const condition = definition === null ? null : String(definition).replace(/^.*?\bwhere\b/is, '')
  return [table, index, unique, condition, column]
}

/**
 * SQLite cannot change a column in place: the rows move into a new table that takes over the name. Foreign keys must be
 * off, as they are in the transaction of a migration, or dropping the old table would cascade into others.
 */
async function rebuild(session: SchemaSession, before: Table, { table, renamed = {} }: Rebuild): Promise<void> {
  const kept = Object.keys(table.columns).filter((name) => (renamed[name] ?? name) in before.columns)
  const foreign = await foreignColumns(session, before)
  const foreignNames = foreign.map(([name]) => String(name))
  const attached = await foreignAttachments(session, before)
  const successor = { ...table, name: `${table.name}_rebuilt` }
  const [old, next] = [quoted(table.name), quoted(successor.name)]
  const into = [...kept, ...foreignNames]
  const from = [...kept.map((name) => renamed[name] ?? name), ...foreignNames]

  await session.run(createTable(successor, sqliteSchema, foreign.map(definition)))
  await session.run(`insert into ${next} (${quotedList(into)}) select ${quotedList(from)} from ${old}`)
  if (table.assigned !== undefined) await keepSequence(session, table.name, successor.name)
  await session.run(`drop table ${old}`)
  // Without this, renaming would fail on any view of the table, whose name nothing has at this moment.
  await session.run('pragma legacy_alter_table = on')
  await session.run(`alter table ${next} rename to ${old}`)
  await session.run('pragma legacy_alter_table = off')
  for (const index of table.indexes) await session.run(createIndex(table.name, index, sqliteSchema))
  for (const [sql] of attached) await session.run(String(sql))
}

/** Keys of rows that are long gone must not be given out again either. */
async function keepSequence(session: SchemaSession, from: string, to: string): Promise<void> {
  await session.run(`delete from sqlite_sequence where name = ${literal(to)}`)
  await session.run(
    `insert into sqlite_sequence (name, seq) select ${literal(to)}, seq from sqlite_sequence where name = ${literal(from)}`,
  )
}

/** Name, type, whether null is refused, and default of the columns that somebody else added. */
async function foreignColumns(session: SchemaReads, table: Table): Promise<readonly SqlRow[]> {
  const found = await session.all(
    `select name, type, "notnull", dflt_value, hidden from pragma_table_xinfo(${literal(table.name)}) order by cid`,
  )
  const foreign = found.filter(([name]) => !(String(name) in table.columns))
  const generated = foreign.find(([, , , , hidden]) => hidden !== 0)
  if (generated === undefined) return foreign
  throw new HoldfastError(
    'unsupported',
    `${table.name}.${generated[0]} is a generated column of somebody else; remove it to migrate.`,
    { entity: 'store', path: `${table.name}.${generated[0]}` },
  )
}

function definition([name, type, refusesNull, defaultTo]: SqlRow): string {
  const notNull = refusesNull === 1 ? ' not null' : ''
  return `${quoted(String(name))} ${type}${notNull}${defaultTo === null ? '' : ` default ${defaultTo}`}`
}

/** The indexes and triggers that somebody else put on a table, as they were written. */
function foreignAttachments(session: SchemaReads, table: Table): Promise<readonly SqlRow[]> {
  const own = table.indexes.map(({ name }) => literal(name)).join(', ')
  return session.all(
    `select sql from sqlite_schema where type in ('index', 'trigger') and tbl_name = ${literal(table.name)}
     and sql is not null and name not in (${own})`,
  )
}

async function brokenReferences(session: SchemaReads, tables: readonly string[]): Promise<readonly string[]> {
  const rows = await session.all('select distinct "table" from pragma_foreign_key_check')
  return rows.map(([table]) => String(table)).filter((name) => tables.includes(name))
}
