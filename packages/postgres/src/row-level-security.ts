import { type Call, HoldfastError } from '@holdfast/core'
import { migrations, promisedTables, type Query, type SqlExecutor, type SqlTraits } from '@holdfast/sql'
import { acrossSetting, scopeSetting } from './settings.js'

const policy = 'holdfast_scope'
const scopesTable = 'holdfast_scopes'
const call: Call = { signal: undefined, retries: 0 }

/** The tables that hold what belongs to scopes. */
function guardedTables(): readonly string[] {
  return [...promisedTables(migrations).values()]
    .filter(({ name, columns }) => name === scopesTable || 'scope' in columns)
    .map(({ name }) => name)
}

/**
 * Which tables the server does not guard yet: all of them, or none. Where only some are guarded, or not as they should be,
 * a store could neither keep scopes apart nor read what is there, and that is `schema_missing`.
 */
export async function unguardedTables(executor: SqlExecutor, traits: SqlTraits): Promise<readonly string[]> {
  const looks = await lookAtTables(executor, traits)
  if (looks.every(({ off }) => off)) return looks.map(({ name }) => name)
  const wrongs = looks.filter(({ problem }) => problem !== undefined)
  const wrong = wrongs.find(({ off }) => !off) ?? wrongs[0]
  if (wrong === undefined) return []
  throw new HoldfastError(
    'schema_missing',
    `Row-level security is not as it should be: ${wrong.name} ${wrong.problem}. Open the store once with \`rowLevelSecurity: true\` and the role that migrates.`,
    { entity: 'store', path: wrong.name },
  )
}

/** The statements that make the server keep scopes apart. They can be run again. */
export function guardStatements(traits: SqlTraits): readonly string[] {
  return guardedTables().flatMap((name) => {
    const table = traits.tableName(name)
    const condition = conditionFor(name, traits)
    return [
      `alter table ${table} enable row level security`,
      `alter table ${table} force row level security`,
      `drop policy if exists ${policy} on ${table}`,
      `create policy ${policy} on ${table} using (${condition}) with check (${condition})`,
    ]
  })
}

/** Which rows a transaction can see and write: those of the scope that it has named, or all when it says so. */
function conditionFor(table: string, traits: SqlTraits): string {
  const named = `nullif(current_setting('${scopeSetting}', true), '')`
  const own =
    table === scopesTable
      ? `"id" = ${named}`
      : `"scope" = (select "key" from ${traits.tableName(scopesTable)} where "id" = ${named})`
  return `${own} or current_setting('${acrossSetting}', true) = 'on'`
}

export async function guard(executor: SqlExecutor, traits: SqlTraits): Promise<void> {
  const looks = await lookAtTables(executor, traits)
  if (looks.every(({ problem }) => problem === undefined)) return
  await executor.exclusively(async (session) => {
    for (const statement of guardStatements(traits)) await session.run(statement)
  })
}

interface Look {
  readonly name: string
  /** What is missing in words, where anything is. */
  readonly problem: string | undefined
  /** Whether the server keeps nothing of the table from the role, and was never told to. */
  readonly off: boolean
}

/** With nothing on the search path the server gives names back in full, whatever the role or the database have for it. */
const nothingInReach: Query = {
  statement: { text: `select set_config('search_path', '', true)`, returns: true },
  values: [],
}

async function lookAtTables(executor: SqlExecutor, traits: SqlTraits): Promise<readonly Look[]> {
  const names = guardedTables()
  const list = names.map((name) => `to_regclass('${traits.tableName(name).replaceAll("'", "''")}')`).join(', ')
  const text = `select c.relname::text,
      case when c.relrowsecurity and c.relforcerowsecurity then 1 else 0 end,
      case when row_security_active(c.oid) then 1 else 0 end,
      case when p.polcmd = '*' and p.polpermissive and p.polroles = '{0}' then 1 else 0 end,
      pg_get_expr(p.polqual, c.oid), pg_get_expr(p.polwithcheck, c.oid),
      (select min(o.polname::text) from pg_policy o
       where o.polrelid = c.oid and o.polpermissive and o.polname <> '${policy}')
    from pg_class c left join pg_policy p on p.polrelid = c.oid and p.polname = '${policy}'
    where c.oid in (${list})`
  const question: Query = { statement: { text, returns: true }, values: [] }
  const [, rows = []] = await executor.read([nothingInReach, question], { scope: null }, call)
  return names.map((name) => {
    const [, forced, active, forAll, using, check, other] = rows.find(([found]) => found === name) ?? []
    const promised = plain(conditionFor(name, traits))
    const isThere = typeof using === 'string'
    const isSame = forAll === 1 && [using, check].every((each) => typeof each === 'string' && plain(each) === promised)
    return {
      name,
      problem: problemOf({ forced: forced === 1, isThere, isSame, other: typeof other === 'string' }),
      off: !isThere && active !== 1,
    }
  })
}

interface Facts {
  readonly forced: boolean
  readonly isThere: boolean
  readonly isSame: boolean
  readonly other: boolean
}

function problemOf({ forced, isThere, isSame, other }: Facts): string | undefined {
  if (!isThere) return `has no policy ${policy}`
  if (!isSame) return `has a policy ${policy} that is not the library's`
  if (!forced) return 'is not forced to keep to it'
  // One policy is enough for a row to be let through. Those that only restrict are somebody else's.
  return other ? 'has another policy, which lets more through' : undefined
}

/** The server gives a condition back in its own hand, which differs in brackets, casts, quotes and how it names columns. */
function plain(condition: string): string {
  return condition
    .replace(/\bholdfast_scopes\.(key|id)\b/g, '$1')
    .replace(/::text|["()\s]/g, '')
    .toLowerCase()
}

/** Refuses what would only look like security. */
export function refuseBypass(role: string, bypasses: boolean): void {
  if (!bypasses) return
  throw new HoldfastError(
    'unauthorized',
    `Row-level security does not hold for the role ${role}, which is a superuser or has BYPASSRLS. Use another role.`,
    { entity: 'store', path: 'rowLevelSecurity' },
  )
}
