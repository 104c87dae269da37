import { integer, nullableInteger, nullableText, type RowOf, table, text, withDefault } from './shape.js'

// Every key, unique index and foreign key contains the scope, by its narrow internal key. Public ids are columns, never
// keys: a deleted session gives its id back (`id` becomes null, `former_id` keeps it) while forks still show its rows.

/** The only table whose key is not inside a scope: it is what gives scopes their keys. */
export const scopes = table({
  name: 'holdfast_scopes',
  columns: {
    key: integer,
    /** Null once the scope is deleted and waits to be swept. */
    id: nullableText,
    created_at: integer,
  },
  primaryKey: ['key'],
  assigned: 'key',
  foreignKeys: [],
  indexes: [{ name: 'holdfast_scopes_id', columns: ['id'], unique: true }],
})

export const sessions = table({
  name: 'holdfast_sessions',
  columns: {
    scope: integer,
    key: integer,
    id: nullableText,
    former_id: nullableText,
    digest: text,
    /** 0 on the desk, 1 archived, 2 deleted and kept for what forks show or until it is swept. */
    shelf: integer,
    /** 1 while a deleted session may hold rows that nothing shows; null otherwise. */
    unswept: nullableInteger,
    active_branch: nullableInteger,
    agent: nullableText,
    title: nullableText,
    title_folded: nullableText,
    titled_by: nullableText,
    kind: text,
    source: nullableText,
    type: text,
    interactive: integer,
    created_by: nullableText,
    participants_json: text,
    mode: nullableText,
    model_json: nullableText,
    working_directory: nullableText,
    root: nullableText,
    lineage_relation: nullableText,
    lineage_session: nullableText,
    lineage_message: nullableText,
    external_ref: nullableText,
    /** The source, or an empty text: a unique index would take every null for a different one. */
    external_source: text,
    permissions_json: text,
    playbook: nullableText,
    invocation_kind: nullableText,
    topic: nullableText,
    step: nullableText,
    artifacts_path: nullableText,
    summary_json: nullableText,
    working_memory_json: nullableText,
    transcript_json: nullableText,
    metadata_json: text,
    status: text,
    status_reason_json: nullableText,
    usage_input: withDefault(integer, 0),
    usage_output: withDefault(integer, 0),
    usage_reasoning: withDefault(integer, 0),
    usage_cache_read: withDefault(integer, 0),
    usage_cache_write: withDefault(integer, 0),
    usage_total: withDefault(integer, 0),
    usage_cost: withDefault(integer, 0),
    created_at: integer,
    updated_at: integer,
    last_activity_at: integer,
    started_at: nullableInteger,
    ended_at: nullableInteger,
    archived_at: nullableInteger,
    version: integer,
  },
  primaryKey: ['scope', 'key'],
  numbered: 'key',
  foreignKeys: [{ columns: ['scope'], table: 'holdfast_scopes', references: ['key'] }],
  indexes: [
    { name: 'holdfast_sessions_activity', ofScope: true, columns: ['scope', 'shelf', 'last_activity_at', 'id'] },
    {
      name: 'holdfast_sessions_external',
      columns: ['external_ref', 'scope', 'external_source'],
      unique: true,
      whereNotNull: 'external_ref',
    },
    { name: 'holdfast_sessions_lineage', columns: ['lineage_session', 'scope'], whereNotNull: 'lineage_session' },
    { name: 'holdfast_sessions_unswept', ofScope: true, columns: ['scope', 'unswept'], whereNotNull: 'unswept' },
    { name: 'holdfast_sessions_id', columns: ['id', 'scope'], unique: true, whereNotNull: 'id' },
  ],
})

export const branches = table({
  name: 'holdfast_branches',
  columns: {
    scope: integer,
    key: integer,
    /** Kept also while only forks show the branch: a path must never have two branches of one name. */
    id: text,
    digest: text,
    session: integer,
    /** The branch that owns the message at `base`. */
    parent: nullableInteger,
    base: integer,
    head: integer,
    origin: text,
    /** A public id: history, not a key. */
    replaces: nullableText,
    name: nullableText,
    agent_config_json: nullableText,
    system_message: nullableText,
    status: nullableText,
    metadata_json: text,
    created_by: nullableText,
    created_at: integer,
    started_at: nullableInteger,
    ended_at: nullableInteger,
    version: integer,
  },
  primaryKey: ['scope', 'key'],
  numbered: 'key',
  foreignKeys: [
    { columns: ['scope', 'session'], table: 'holdfast_sessions', references: ['scope', 'key'] },
    { columns: ['scope', 'parent'], table: 'holdfast_branches', references: ['scope', 'key'] },
  ],
  indexes: [
    { name: 'holdfast_branches_session', columns: ['scope', 'session'] },
    { name: 'holdfast_branches_parent', columns: ['scope', 'parent', 'base'] },
    { name: 'holdfast_branches_id', columns: ['id', 'scope'], unique: true },
  ],
})

export const messages = table({
  name: 'holdfast_messages',
  columns: {
    scope: integer,
    branch: integer,
    position: integer,
    /** First, because pages are cut by it. */
    size: integer,
    id: text,
    digest: text,
    role: text,
    kind: nullableText,
    sender: nullableText,
    recipient: nullableText,
    channel: nullableText,
    status: text,
    model_json: nullableText,
    agent: nullableText,
    usage_json: nullableText,
    finish_reason: nullableText,
    error_json: nullableText,
    trigger_json: nullableText,
    metadata_json: text,
    created_by: nullableText,
    created_at: integer,
    updated_at: integer,
    revision: integer,
  },
  primaryKey: ['scope', 'branch', 'position'],
  clustered: true,
  foreignKeys: [{ columns: ['scope', 'branch'], table: 'holdfast_branches', references: ['scope', 'key'] }],
  indexes: [{ name: 'holdfast_messages_id', columns: ['id', 'scope'], unique: true }],
})

export const parts = table({
  name: 'holdfast_parts',
  columns: {
    scope: integer,
    branch: integer,
    position: integer,
    index: integer,
    /** Engines that bound the size of a row keep a long payload in several; all but the payload is on chunk 0. */
    chunk: integer,
    type: text,
    tool_call_id: nullableText,
    state: nullableText,
    created_at: integer,
    updated_at: integer,
    payload_json: text,
  },
  primaryKey: ['scope', 'branch', 'position', 'index', 'chunk'],
  clustered: true,
  foreignKeys: [
    {
      columns: ['scope', 'branch', 'position'],
      table: 'holdfast_messages',
      references: ['scope', 'branch', 'position'],
      onDelete: 'cascade',
    },
  ],
  indexes: [{ name: 'holdfast_parts_call', columns: ['tool_call_id', 'scope'], whereNotNull: 'tool_call_id' }],
})

export const labels = table({
  name: 'holdfast_labels',
  columns: { scope: integer, session: integer, kind: text, value: text },
  primaryKey: ['scope', 'session', 'kind', 'value'],
  clustered: true,
  foreignKeys: [
    { columns: ['scope', 'session'], table: 'holdfast_sessions', references: ['scope', 'key'], onDelete: 'cascade' },
  ],
  indexes: [{ name: 'holdfast_labels_value', ofScope: true, columns: ['scope', 'kind', 'value', 'session'] }],
})

export const journal = table({
  name: 'holdfast_journal',
  columns: {
    scope: integer,
    session: integer,
    seq: integer,
    id: nullableText,
    digest: nullableText,
    type: text,
    payload_json: nullableText,
    /** A public id: an entry about a message holds its key only, never content. */
    message: nullableText,
    user: nullableText,
    at: integer,
  },
  primaryKey: ['scope', 'session', 'seq'],
  clustered: true,
  foreignKeys: [{ columns: ['scope', 'session'], table: 'holdfast_sessions', references: ['scope', 'key'] }],
  indexes: [
    { name: 'holdfast_journal_id', columns: ['id', 'scope'], unique: true, whereNotNull: 'id' },
    // Entries that hold keys only are the bulk and are not looked up by type; they have no payload.
    { name: 'holdfast_journal_type', columns: ['scope', 'session', 'type', 'seq'], whereNotNull: 'payload_json' },
  ],
})

export interface Database {
  holdfast_scopes: RowOf<typeof scopes>
  holdfast_sessions: RowOf<typeof sessions>
  holdfast_branches: RowOf<typeof branches>
  holdfast_messages: RowOf<typeof messages>
  holdfast_parts: RowOf<typeof parts>
  holdfast_labels: RowOf<typeof labels>
  holdfast_journal: RowOf<typeof journal>
}
