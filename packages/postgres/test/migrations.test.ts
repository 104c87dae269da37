import { assessSchema, type Migration } from '@holdfast/sql'
import { describe, expect, it } from 'vitest'
import { bringTo, type OpenDatabase, openDatabase, schemaOf, traits, versionsOf } from './support/database.js'
import { history, until } from './support/readers.js'

const newest = history.length

/** A database at a version of the history, with a book and, where there are any, a reader who has it. */
async function databaseAt(version: number): Promise<OpenDatabase> {
  const database = await openDatabase()
  await bringTo(database, until(version))
  const { client } = database
  await client.query(`
    insert into holdfast_books (${version < 4 ? 'title' : 'name'}, rating) values ('Growth of the Soil', '9'), ('Hunger', null);
    insert into holdfast_pages (book, "index", body) values (1, 1, 'The long, long road');
    delete from holdfast_books where key = 2;`)
  if (version >= 5) {
    await client.query(`
      insert into holdfast_readers (scope, name, age, card) values (7, 'Inger', 40, '12'), (7, 'Isak', 50, '13');
      insert into holdfast_loans (scope, reader, book, note) values (7, 1, 1, 'by hand');`)
  }
  return database
}

describe('a migration', () => {
  it('is recorded, and applied once however often the database is opened', async () => {
    const database = await databaseAt(2)
    await bringTo(database, until(2))
    expect(await database.ask('select * from holdfast_migrations order by version')).toEqual([
      ['1', 'books and pages', '1700000000000', expect.stringMatching(/^\d+\.\d+\.\d+/), '1'],
      ['2', 'notes and copies', '1700000000000', expect.stringMatching(/^\d+\.\d+\.\d+/), '1'],
    ])
    await bringTo(database, history)
    await bringTo(database, history)
    expect(await versionsOf(database)).toEqual([1, 2, 3, 4, 5, 6])
  })

  it.each(until(newest - 1).map(({ version }) => version))(
    'leads from version %i to the schema of a fresh database, with every row',
    async (version) => {
      const fresh = await openDatabase()
      await bringTo(fresh, history)
      const upgraded = await databaseAt(version)
      await bringTo(upgraded, history)
      expect(await schemaOf(upgraded)).toEqual(await schemaOf(fresh))
      expect(await upgraded.ask('select key, name, rating from holdfast_books')).toEqual([
        ['1', 'Growth of the Soil', '9'],
      ])
      expect(await upgraded.ask('select book, "index", body, note from holdfast_pages')).toEqual([
        ['1', '1', 'The long, long road', null],
      ])
      await assessSchema(upgraded.executor, traits, { mayMigrate: false, migrations: history })
    },
  )

  it('that fails leaves everything as it was', async () => {
    const database = await databaseAt(3)
    const before = await schemaOf(database)
    const failing: Migration = {
      version: 4,
      name: 'fails at its second change',
      minReader: 1,
      changes: [
        { kind: 'add column', table: 'holdfast_books', name: 'color', column: { type: 'text', nullable: true } },
        { kind: 'add index', table: 'holdfast_books', index: { name: 'holdfast_x', columns: ['no_such_column'] } },
      ],
    }
    await expect(bringTo(database, [...until(3), failing])).rejects.toThrow('no_such_column')
    expect(await schemaOf(database)).toEqual(before)
    expect(await versionsOf(database)).toEqual([1, 2, 3])
  })

  it('is made by one of several that try at the same time', async () => {
    const database = await databaseAt(1)
    await Promise.all(Array.from({ length: 8 }, () => bringTo(database, history)))
    expect(await versionsOf(database)).toEqual([1, 2, 3, 4, 5, 6])
  })
})

describe('a migration that rebuilds a table', () => {
  it('renames, drops and retypes columns, and gives the table another key and other references', async () => {
    const database = await databaseAt(5)
    await bringTo(database, history)
    expect(await database.ask('select scope, key, called, card from holdfast_readers order by key')).toEqual([
      ['7', '1', 'Inger', '12'],
      ['7', '2', 'Isak', '13'],
    ])
    expect(await database.ask('select scope, reader, book, note, copy from holdfast_loans')).toEqual([
      ['7', '1', '1', 'by hand', '1'],
    ])
    expect(
      await database.ask(
        `select conname::text, pg_get_constraintdef(oid) from pg_constraint
         where conrelid = 'holdfast_loans'::regclass and contype <> 'n' order by 1`,
      ),
    ).toEqual([
      ['holdfast_loans_book_fkey', 'FOREIGN KEY (book) REFERENCES holdfast_books(key)'],
      ['holdfast_loans_pkey', 'PRIMARY KEY (reader, book, copy, scope)'],
      [
        'holdfast_loans_scope_reader_fkey',
        'FOREIGN KEY (scope, reader) REFERENCES holdfast_readers(scope, key) ON DELETE CASCADE',
      ],
    ])
  })

  it('gives out no key a second time', async () => {
    const database = await databaseAt(5)
    await database.client.query('delete from holdfast_readers where key = 2')
    await bringTo(database, history)
    await database.client.query(`insert into holdfast_books (name) values ('Pan')`)
    await database.client.query(`insert into holdfast_readers (scope, called) values (7, 'Eleseus')`)
    expect(await database.ask(`select key from holdfast_books where name = 'Pan'`)).toEqual([['3']])
    expect(await database.ask(`select key from holdfast_readers where called = 'Eleseus'`)).toEqual([['3']])
  })
})

describe('what somebody else put into the database', () => {
  it('survives every migration', async () => {
    const database = await databaseAt(1)
    await database.client.query(`
      create table shops (name text primary key);
      insert into shops values ('at the store');
      create table sales (book bigint references holdfast_books (key) on delete cascade, price int);
      insert into sales values (1, 12);
      alter table holdfast_books add column owner text not null default 'nobody', add column shop text references shops;
      update holdfast_books set owner = 'Inger', shop = 'at the store';
      create index books_by_owner on holdfast_books (owner);
      create view owners as select owner from holdfast_books;
      create table log (entry text);
      create function note() returns trigger language plpgsql as $$ begin insert into log values (new.owner); return new; end $$;
      create trigger books_log after insert on holdfast_books for each row execute function note();`)
    await bringTo(database, history)
    const { ask, client } = database
    await client.query(`insert into holdfast_books (name) values ('Pan')`)
    expect(await ask('select * from sales')).toEqual([['1', 12]])
    expect(await ask('select owner from owners order by owner')).toEqual([['Inger'], ['nobody']])
    expect(await ask('select entry from log')).toEqual([['nobody']])
    expect(await ask(`select to_regclass('books_by_owner')::text`)).toEqual([['books_by_owner']])
    await expect(client.query(`update holdfast_books set shop = 'nowhere'`)).rejects.toMatchObject({ code: '23503' })
    await client.query('delete from holdfast_books where key = 1')
    expect(await ask('select * from sales')).toEqual([])
    await assessSchema(database.executor, traits, { mayMigrate: false, migrations: history })
  })
})

describe('a library that is older than the database', () => {
  it('uses it when all later versions only added', async () => {
    const database = await databaseAt(3)
    const before = await schemaOf(database)
    await assessSchema(database.executor, traits, { mayMigrate: true, migrations: until(1) })
    await bringTo(database, until(1))
    expect(await schemaOf(database)).toEqual(before)
  })

  it('is refused with schema_newer when a later version took something away', async () => {
    const database = await databaseAt(3)
    await bringTo(database, history)
    await expect(bringTo(database, until(3))).rejects.toMatchObject({ code: 'schema_newer' })
  })
})
