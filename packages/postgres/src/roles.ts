import { postgresTraits } from '@holdfast/sql'
import { guardStatements } from './row-level-security.js'

export interface RolesSqlOptions {
  /** The schema that holds the tables; `public` when left out. */
  readonly schema?: string
  /** The role that migrates: it owns the tables. */
  readonly migrator: string
  /** The role that the store runs as: it reads and writes rows, and can change nothing else. */
  readonly runner: string
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/**
 * The SQL that creates two roles: one that owns the tables and migrates, and one that the store runs as. It is run once,
 * by whoever may create roles; passwords are set afterwards, for example with `\password` in psql.
 *
 * @example
 * ```ts
 * console.log(rolesSql({ schema: 'holdfast', migrator: 'holdfast_migrator', runner: 'holdfast_runner' }))
 * ```
 */
export function rolesSql({ schema = 'public', migrator, runner }: RolesSqlOptions): string {
  const [place, owner, role] = [schema, migrator, runner].map(quoted)
  return `${[
    `create role ${owner} login nosuperuser nobypassrls nocreatedb nocreaterole`,
    `create role ${role} login nosuperuser nobypassrls nocreatedb nocreaterole`,
    `create schema if not exists ${place}`,
    `grant usage, create on schema ${place} to ${owner}`,
    `grant usage on schema ${place} to ${role}`,
    // Who may create roles without being a superuser may speak for this one only as its member.
    `grant ${owner} to current_user`,
    `alter default privileges for role ${owner} in schema ${place} grant select, insert, update, delete on tables to ${role}`,
    `alter default privileges for role ${owner} in schema ${place} grant usage on sequences to ${role}`,
    `revoke ${owner} from current_user`,
  ].join(';\n')};\n`
}

/** The SQL that makes the server keep scopes apart, for those who would rather run it themselves. */
export function rowLevelSecuritySql({ schema = 'public' }: { readonly schema?: string } = {}): string {
  return `${guardStatements(postgresTraits(schema)).join(';\n')};\n`
}
