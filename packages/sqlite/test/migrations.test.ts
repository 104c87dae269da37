import { assessSchema, type Migration, migrate, type SqlExecutor, sqliteTraits } from '@holdfast/sql'
import { describe, expect, it } from 'vitest'
import { history, until } from './support/books.js'
import { type OpenDatabase, openDatabase, schemaOf, versionsOf } from './support/database.js'
import { ownPath } from './support/folder.js'

async function bringTo(database: OpenDatabase, migrations: readonly Migration[], backup = async () => {}) {
  await migrate(database.executor, sqliteTraits, { clock: () => 1_700_000_000_000, migrations, backup })
}

/** A database at a version of the history, with two books, of which the second is gone, and a page of the first. */
async function databaseAt(version: number, path?: string): Promise<OpenDatabase> {
  const database = await openDatabase(path)
  await bringTo(database, until(version))
  database.db.exec(`
    insert into holdfast_books (title, rating) values ('Growth of the Soil', '9'), ('Hunger', null);
    insert into holdfast_pages (book, "index", body) values (1, 1, 'The long, long road');
    delete from holdfast_books where title = 'Hunger';
  `)
  return database
}

const newest = history.length

describe('a migration', () => {
  it('is recorded with its name, its time, the version of the library and its oldest reader', async () => {
    const database = await openDatabase()
    await bringTo(database, until(2))
    expect(database.ask('select * from holdfast_migrations order by version')).toEqual([
      [1, 'books and pages', 1_700_000_000_000, expect.stringMatching(/^\d+\.\d+\.\d+/), 1],
      [2, 'notes and copies', 1_700_000_000_000, expect.stringMatching(/^\d+\.\d+\.\d+/), 1],
    ])
  })

  it('is applied once, however often the database is opened', async () => {
    const database = await databaseAt(newest - 1)
    await bringTo(database, history)
    await bringTo(database, history)
    expect(versionsOf(database)).toEqual([[1], [2], [3], [4]])
  })

  it.each(until(newest - 1).map(({ version }) => version))(
    'leads from version %i to the schema of a fresh database, with every row',
    async (version) => {
      const fresh = await openDatabase()
      await bringTo(fresh, history)
      const upgraded = await databaseAt(version)
      await bringTo(upgraded, history)
      expect(schemaOf(upgraded)).toEqual(schemaOf(fresh))
      expect(upgraded.ask('select key, name, rating from holdfast_books')).toEqual([[1, 'Growth of the Soil', 9]])
      expect(upgraded.ask('select book, "index", body, note from holdfast_pages')).toEqual([
        [1, 1, 'The long, long road', null],
      ])
    },
  )

  it('that fails leaves everything as it was', async () => {
    const database = await databaseAt(3)
    const before = schemaOf(database)
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
    expect(schemaOf(database)).toEqual(before)
    expect(versionsOf(database)).toEqual([[1], [2], [3]])
  })

  it('leaves foreign keys on', async () => {
    const database = await databaseAt(newest - 1)
    await bringTo(database, history)
    expect(database.ask('pragma foreign_keys')).toEqual([[1]])
    expect(() => database.db.exec(`insert into holdfast_pages (book, "index", body) values (7, 1, '')`)).toThrow(
      'FOREIGN KEY',
    )
  })
})

describe('a migration that rebuilds a table', () => {
  it('saves the database as it was first, under the lock, and no other kind does', async () => {
    const database = await databaseAt(1)
    const saved: unknown[] = []
    const backup = async () => {
      saved.push([database.db.inTransaction, versionsOf(database)])
    }
    await bringTo(database, until(3), backup)
    expect(saved).toEqual([])
    await bringTo(database, history, backup)
    expect(saved).toEqual([[true, [[1], [2], [3]]]])
  })

  it('does not happen when the database cannot be saved', async () => {
    const database = await databaseAt(3)
    const refusal = new Error('no room')
    await expect(bringTo(database, history, () => Promise.reject(refusal))).rejects.toBe(refusal)
    expect(versionsOf(database)).toEqual([[1], [2], [3]])
  })

  it('gives out no key a second time', async () => {
    const database = await databaseAt(3)
    await bringTo(database, history)
    database.db.exec(`insert into holdfast_books (name) values ('Pan')`)
    expect(database.ask(`select key from holdfast_books where name = 'Pan'`)).toEqual([[3]])
  })

  it('is undone when rows refer to rows that are not there', async () => {
    const database = await databaseAt(3)
    database.db.exec(`pragma foreign_keys = off; insert into holdfast_pages (book, "index", body) values (99, 1, '');`)
    await expect(bringTo(database, history)).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining('holdfast_pages'),
    })
    expect(versionsOf(database)).toEqual([[1], [2], [3]])
    expect(database.ask('select title from holdfast_books')).toEqual([['Growth of the Soil']])
  })

  it('refuses a generated column of somebody else, which it could not keep', async () => {
    const database = await databaseAt(3)
    database.db.exec('alter table holdfast_books add column shout text as (upper(title))')
    await expect(bringTo(database, history)).rejects.toMatchObject({
      code: 'unsupported',
      path: 'holdfast_books.shout',
    })
  })
})

describe('what somebody else put into the database', () => {
  it('survives every migration', async () => {
    const database = await databaseAt(1)
    database.db.exec(`
      create table loans (book integer references holdfast_books (key) on delete cascade, reader text) strict;
      insert into loans values (1, 'Isak');
      alter table holdfast_books add column owner text not null default 'nobody';
      update holdfast_books set owner = 'Inger';
      create index books_by_owner on holdfast_books (owner);
      create view owners as select owner from holdfast_books;
      create table log (entry text);
      create trigger books_log after insert on holdfast_books begin insert into log values (new.owner); end;
    `)
    await bringTo(database, history)
    database.db.exec(`insert into holdfast_books (name) values ('Pan')`)
    expect(database.ask('select * from loans')).toEqual([[1, 'Isak']])
    expect(database.ask('select owner from owners order by owner')).toEqual([['Inger'], ['nobody']])
    expect(database.ask('select entry from log')).toEqual([['nobody']])
    expect(database.ask(`select tbl_name from sqlite_schema where name = 'books_by_owner'`)).toEqual([
      ['holdfast_books'],
    ])
    expect(database.ask('pragma foreign_key_check')).toEqual([])
  })
})

describe('a database that is not what its version promises', () => {
  it.each([
    ['a nullable column', 'drop index holdfast_pages_note; alter table holdfast_pages drop column note'],
    ['a column with a default', 'alter table holdfast_books drop column copies'],
    ['an index', 'drop index holdfast_books_title'],
  ])('gets %s back', async (_, damage) => {
    const whole = await databaseAt(3)
    const database = await databaseAt(3)
    database.db.exec(damage)
    await expect(assess(database, false)).rejects.toMatchObject({ code: 'schema_missing' })
    await bringTo(database, until(3))
    await assess(database, false)
    expect(database.ask(`select name from sqlite_schema order by name`)).toEqual(
      whole.ask(`select name from sqlite_schema order by name`),
    )
    expect(database.ask('select title, copies from holdfast_books')).toEqual([['Growth of the Soil', 1]])
  })

  it.each([
    ['a table', 'drop table holdfast_shelves', 'holdfast_shelves', 'is missing'],
    [
      'a column that must have a value',
      'alter table holdfast_pages drop column body',
      'holdfast_pages.body',
      'is missing',
    ],
    ['a type', replaced('label text', 'label integer'), 'holdfast_shelves.label', 'is INTEGER instead of text'],
    ['a constraint', replaced('text not null', 'text'), 'holdfast_shelves.label', 'allows null'],
    [
      'a default',
      replaced(` default 'the reader''s'`, ''),
      'holdfast_shelves.label',
      `has nothing for its default instead of 'the reader''s'`,
    ],
    [
      'a primary key',
      replaced('primary key (key)', 'primary key (label)'),
      'holdfast_shelves',
      'has the primary key (label) instead of (key)',
    ],
    ['strictness', replaced(' strict', ''), 'holdfast_shelves', 'is plain instead of strict'],
    [
      'a key that is given out only once',
      replacedBooks('key integer primary key'),
      'holdfast_books.key',
      'is not assigned by the engine',
    ],
    [
      'a reference',
      replacedPages(''),
      'holdfast_pages.book',
      'has no foreign key (book) to holdfast_books (key) on delete cascade',
    ],
    [
      'what a deletion takes with it',
      replacedPages(', foreign key (book) references holdfast_books (key)'),
      'holdfast_pages.book',
      'has no foreign key (book) to holdfast_books (key) on delete cascade',
    ],
    [
      'the uniqueness of an index',
      'drop index holdfast_shelves_label; create index holdfast_shelves_label on holdfast_shelves (label)',
      'holdfast_shelves.holdfast_shelves_label',
      'is (label) instead of unique (label)',
    ],
    [
      'a column of an index',
      'drop index holdfast_books_title; create index holdfast_books_title on holdfast_books (rating, title desc)',
      'holdfast_books.holdfast_books_title',
      'is (rating, title desc) instead of (title)',
    ],
    [
      'the order of an index',
      'drop index holdfast_books_title; create index holdfast_books_title on holdfast_books (title collate nocase)',
      'holdfast_books.holdfast_books_title',
      'is (title collate nocase) instead of (title)',
    ],
    [
      'the condition of an index',
      'drop index holdfast_pages_note; create index holdfast_pages_note on holdfast_pages (note) where body is not null',
      'holdfast_pages.holdfast_pages_note',
      'is (note) where body is not null instead of (note) where note is not null',
    ],
    [
      'an index, whose name another table has,',
      'drop index holdfast_books_title; create index holdfast_books_title on holdfast_pages (body)',
      'holdfast_books.holdfast_books_title',
      'is on holdfast_pages',
    ],
  ])('is schema_missing when %s is not there, and named', async (_, damage, place, problem) => {
    const database = await databaseAt(3)
    database.db.exec(damage)
    const before = schemaOf(database)
    for (const migrations of [until(3), history]) {
      await expect(bringTo(database, migrations)).rejects.toMatchObject({
        code: 'schema_missing',
        path: place,
        message: expect.stringContaining(`${place} ${problem}`),
      })
    }
    expect(schemaOf(database)).toEqual(before)
  })

  it('is what it promises also when somebody wrote it in another hand, and added to it', async () => {
    const database = await databaseAt(3)
    database.db.exec(`
      drop index holdfast_pages_note;
      CREATE INDEX holdfast_pages_note ON holdfast_pages ("note" ASC)
        WHERE ("note" IS  NOT NULL);
      create index loans_by_body on holdfast_pages (body desc, lower(note));
      create table readers (name text primary key);
      alter table holdfast_pages add column reader text references readers (name);
    `)
    await assess(database, false)
  })

  it('is schema_missing when nothing says which version made its tables', async () => {
    const database = await databaseAt(3)
    database.db.exec('drop table holdfast_migrations')
    await expect(bringTo(database, history)).rejects.toMatchObject({
      code: 'schema_missing',
      path: 'holdfast_migrations',
    })
  })

  function assess(database: OpenDatabase, mayMigrate: boolean): Promise<void> {
    return assessSchema(database.executor, sqliteTraits, { mayMigrate, migrations: until(3) })
  }

  /** The table of shelves made again, with something else in its definition. */
  function replaced(words: string, by: string): string {
    const columns = `key integer not null, label text not null default 'the reader''s'`
    const definition = `holdfast_shelves (${columns}, primary key (key)) strict`.replace(words, by)
    return `drop table holdfast_shelves; create table ${definition};
      create unique index holdfast_shelves_label on holdfast_shelves (label);`
  }

  function replacedBooks(key: string): string {
    return `pragma foreign_keys = off; drop table holdfast_books;
      create table holdfast_books (${key}, title text not null, rating text, copies integer not null default 1) strict;
      create index holdfast_books_title on holdfast_books (title);`
  }

  function replacedPages(reference: string): string {
    return `drop table holdfast_pages; create table holdfast_pages (book integer not null, "index" integer not null,
        body text not null, note text, primary key (book, "index")${reference}) strict, without rowid;
      create index holdfast_pages_note on holdfast_pages (note) where note is not null;`
  }
})

describe('a database that another process migrates meanwhile', () => {
  it('is not taken for one that lacks something', async () => {
    const path = ownPath()
    const other = await databaseAt(1, path)
    const { executor } = await openDatabase(path)
    let reads = 0
    const disturbed: SqlExecutor = {
      ...executor,
      async read(queries, about, call) {
        const rows = await executor.read(queries, about, call)
        if (reads++ === 0) await bringTo(other, until(3))
        return rows
      },
    }
    await assessSchema(disturbed, sqliteTraits, { mayMigrate: false, migrations: until(3) })
    expect(versionsOf(other)).toEqual([[1], [2], [3]])
  })
})

describe('a library that is older than the database', () => {
  it('uses it when all later versions only added', async () => {
    const database = await databaseAt(3)
    const before = schemaOf(database)
    await assessSchema(database.executor, sqliteTraits, { mayMigrate: true, migrations: until(1) })
    await bringTo(database, until(1))
    expect(schemaOf(database)).toEqual(before)
  })

  it('does not repair it', async () => {
    const database = await databaseAt(3)
    database.db.exec('drop index holdfast_books_title')
    await expect(bringTo(database, until(1))).rejects.toMatchObject({ code: 'schema_missing' })
  })

  it('is refused with schema_newer when a later version took something away', async () => {
    const database = await databaseAt(3)
    await bringTo(database, history)
    const changes = database.ask('select total_changes()')
    await expect(bringTo(database, until(3))).rejects.toMatchObject({ code: 'schema_newer' })
    expect(database.ask('select total_changes()')).toEqual(changes)
  })
})

describe('a store that may not migrate', () => {
  it('names what is missing and writes nothing', async () => {
    const database = await databaseAt(1)
    const before = schemaOf(database)
    const refusal = assessSchema(database.executor, sqliteTraits, { mayMigrate: false, migrations: until(3) })
    await expect(refusal).rejects.toMatchObject({
      code: 'schema_missing',
      message: expect.stringMatching(
        /holdfast_books\.copies is missing.*holdfast_pages\.note is missing.*holdfast_shelves is missing/,
      ),
    })
    expect(schemaOf(database)).toEqual(before)
  })

  it('is content with a database that is current', async () => {
    const database = await databaseAt(3)
    await assessSchema(database.executor, sqliteTraits, { mayMigrate: false, migrations: until(3) })
    expect(versionsOf(database)).toEqual([[1], [2], [3]])
  })
})
