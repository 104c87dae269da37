import type { Migration } from './migration.js'
import { branches, journal, labels, messages, parts, scopes, sessions } from './tables.js'

/** Every version of the schema. Until 1.0 the first is edited in place; afterwards an entry never changes. */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'sessions, branches, messages, labels and journal',
    minReader: 1,
    changes: [scopes, sessions, branches, messages, parts, labels, journal].map((table) => ({
      kind: 'create table',
      table,
    })),
  },
]
