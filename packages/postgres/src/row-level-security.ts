import { type Call, HoldfastError } from '@holdfast/core'
import { migrations, promisedTables, type SqlExecutor, type SqlTraits } from '@holdfast/sql'
import { acrossSetting, scopeSetting } from './settings.js'

const policy = 'holdfast_scope'
const scopesTable = 'holdfast_scopes'
const call: Call = { signal: undefined, retries: 0 }

/** The tables that hold what belongs to scopes. */
export function guardedTables(): readonly string[] {
  return [...promisedTables(migrations).values()]
    .filter(({ name, columns }) => name === scopesTable || 'scope' in columns)
    .map(({ name }) => name)
}

/**
 * Which tables the server does not guard yet. Guarded are those where it is forced, so that it holds for their owner too,
 * and where the policy is there.
 */
export async function unguardedTables(executor: SqlExecutor, traits: SqlTraits): Promise<readonly string[]> {
  const names = guardedTables()
  const list = names.map((name) => `to_regclass('${traits.tableName(name).replaceAll("'", "''")}')`).join(', ')
  const text = `select c.relname::text from pg_class c where c.oid in (${list})
    and c.relrowsecurity and c.relforcerowsecurity
    and exists (select 1 from pg_policy p where p.polrelid = c.oid and p.polname = '${policy}')`
  const [rows = []] = await executor.read([{ statement: { text, returns: true }, values: [] }], { scope: null }, call)
  const guarded = new Set(rows.map(([name]) => String(name)))
  return names.filter((name) => !guarded.has(name))
}

/** The statements that make the server keep scopes apart. They can be run again. */
export function guardStatements(traits: SqlTraits): readonly string[] {
  const named = `nullif(current_setting('${scopeSetting}', true), '')`
  const across = `current_setting('${acrossSetting}', true) = 'on'`
  return guardedTables().flatMap((name) => {
    const table = traits.tableName(name)
    const own =
      name === scopesTable
        ? `"id" = ${named}`
        : `"scope" = (select "key" from ${traits.tableName(scopesTable)} where "id" = ${named})`
    return [
      `alter table ${table} enable row level security`,
      `alter table ${table} force row level security`,
      `drop policy if exists ${policy} on ${table}`,
      `create policy ${policy} on ${table} using (${own} or ${across}) with check (${own} or ${across})`,
    ]
  })
}

export async function guard(executor: SqlExecutor, traits: SqlTraits): Promise<void> {
  if ((await unguardedTables(executor, traits)).length === 0) return
  await executor.exclusively(async (session) => {
    for (const statement of guardStatements(traits)) await session.run(statement)
  })
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
