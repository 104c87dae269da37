import type {
  Backend,
  Call,
  Command,
  Expectation,
  PartRow,
  SessionConditions,
  StoredMessage,
  StoredSession,
} from '@holdfast/core'

/** A backend with one mistake in it, and the sentence of the contract that it breaks. */
export interface BrokenBackend {
  readonly mistake: string
  readonly rule: string
  breakIt(backend: Backend): Backend
}

type Reads = 'sessions' | 'branches' | 'messages' | 'labels' | 'journal' | 'upkeep'

/** The same backend with some reads of one group replaced. */
function withReads<Group extends Reads>(backend: Backend, group: Group, replaced: Partial<Backend[Group]>): Backend {
  return { ...backend, [group]: { ...backend[group], ...replaced } }
}

/** The same backend with every command changed before it is carried out. */
function withCommands(backend: Backend, change: (command: Command) => Command): Backend {
  return { ...backend, commit: (scope, commands, call) => backend.commit(scope, commands.map(change), call) }
}

function withPayloads(backend: Backend, change: (json: string) => string): Backend {
  const changed = (parts: readonly PartRow[]) =>
    parts.map((part) => ({ ...part, payloadJson: change(part.payloadJson) }))
  return withCommands(backend, (command) => {
    if (command.type === 'settle-message') return { ...command, parts: changed(command.parts) }
    if (command.type !== 'append') return command
    return { ...command, messages: command.messages.map((message) => ({ ...message, parts: changed(message.parts) })) }
  })
}

/** Lists sessions in an order of its own, from a full list of the unbroken backend. */
function withOrder(
  backend: Backend,
  order: (left: StoredSession, right: StoredSession) => number,
  follows: (row: StoredSession, after: { readonly lastActivityAt: number; readonly id: string }) => boolean,
): Backend {
  return withReads(backend, 'sessions', {
    list: async (scope, query, call) => {
      const all = await backend.sessions.list(scope, { ...query, after: undefined, limit: 1000 }, call)
      const sorted = all.toSorted((left, right) => order(left, right) * (query.order === 'newest' ? -1 : 1))
      const { after } = query
      return (after ? sorted.filter((row) => follows(row, after)) : sorted).slice(0, query.limit)
    },
  })
}

/** Finds sessions by conditions that are looser than those asked for. */
function withConditions(backend: Backend, loosen: (conditions: SessionConditions) => SessionConditions): Backend {
  return withReads(backend, 'sessions', {
    list: (scope, query, call) =>
      backend.sessions.list(scope, { ...query, conditions: loosen(query.conditions) }, call),
    count: (scope, conditions, call) => backend.sessions.count(scope, loosen(conditions), call),
  })
}

/** Commits what was refused for one expectation after all. */
function withoutExpecting(
  backend: Backend,
  expectation: Expectation,
  force: (scope: string, command: Command, call: Call) => Promise<Command>,
): Backend {
  return {
    ...backend,
    commit: async (scope, commands, call) => {
      let outcome = await backend.commit(scope, commands, call)
      while (!outcome.committed && outcome.expectation === expectation) {
        const forced = await Promise.all(commands.map((command) => force(scope, command, call)))
        outcome = await backend.commit(scope, forced, call)
      }
      return outcome
    },
  }
}

const byUtf16 = (left: string, right: string) => (left < right ? -1 : Number(left > right))

async function everyScope(backend: Backend, first: string, call: Call) {
  return [first, ...(await backend.upkeep.scopes(undefined, 1000, call))]
}

export const brokenBackends: readonly BrokenBackend[] = [
  {
    mistake: 'order is lost on equal times',
    rule: 'sessions of equal activity are ordered by the UTF-8 bytes of their ids',
    breakIt: (backend) =>
      withOrder(
        backend,
        (left, right) => left.lastActivityAt - right.lastActivityAt || byUtf16(left.activeBranch, right.activeBranch),
        () => true,
      ),
  },
  {
    mistake: 'ids are compared as JavaScript does',
    rule: 'sessions of equal activity are ordered by the UTF-8 bytes of their ids',
    breakIt: (backend) =>
      withOrder(
        backend,
        (left, right) => left.lastActivityAt - right.lastActivityAt || byUtf16(left.id, right.id),
        () => true,
      ),
  },
  {
    mistake: 'a cursor skips ties',
    rule: 'pages over equal activity neither skip nor repeat a session',
    breakIt: (backend) =>
      withReads(backend, 'sessions', {
        list: async (scope, query, call) => {
          const { after, order } = query
          const rows = await backend.sessions.list(scope, query, call)
          if (after === undefined) return rows
          return rows.filter(({ lastActivityAt: at }) =>
            order === 'newest' ? at < after.lastActivityAt : at > after.lastActivityAt,
          )
        },
      }),
  },
  {
    mistake: 'the scope of a message is forgotten',
    rule: 'messages.get answers an id of another scope as one that never existed',
    breakIt: (backend) =>
      withReads(backend, 'messages', {
        get: async (scope, message, call) => {
          for (const candidate of await everyScope(backend, scope, call)) {
            const found = await backend.messages.get(candidate, message, call)
            if (found) return found
          }
          return undefined
        },
      }),
  },
  {
    mistake: 'the scope of a session is forgotten',
    rule: 'sessions.load answers an id of another scope as one that never existed',
    breakIt: (backend) =>
      withReads(backend, 'sessions', {
        get: async (scope, session, call) => {
          for (const candidate of await everyScope(backend, scope, call)) {
            const found = await backend.sessions.get(candidate, session, call)
            if (found) return found
          }
          return undefined
        },
      }),
  },
  {
    mistake: 'labels are changed in the scope that has the session first',
    rule: 'tags.set leaves a scope with the same ids alone',
    breakIt: (backend) => ({
      ...backend,
      commit: async (scope, commands, call) => {
        const [first = scope] = await backend.upkeep.scopes(undefined, 1, call)
        return backend.commit(commands[0]?.type === 'change-labels' ? first : scope, commands, call)
      },
    }),
  },
  {
    mistake: 'unknown parts are dropped',
    rule: 'parts of unknown types are read back untouched',
    breakIt: (backend) => {
      const known = /"type":"(text|reasoning|file|step-start|tool-|data-)/
      const kept = (message: StoredMessage) => ({
        ...message,
        payloads: message.payloads.filter((payload) => known.test(payload)),
      })
      return withReads(backend, 'messages', {
        get: async (scope, id, call) => {
          const found = await backend.messages.get(scope, id, call)
          return found && { ...found, message: kept(found.message) }
        },
      })
    },
  },
  {
    mistake: 'the keys of JSON are sorted',
    rule: 'JSON keeps the order of keys',
    breakIt: (backend) =>
      withPayloads(backend, (json) => {
        const value: Record<string, unknown> = JSON.parse(json)
        const sorted = (item: unknown): unknown =>
          typeof item === 'object' && item !== null && !Array.isArray(item)
            ? Object.fromEntries(
                Object.entries(item)
                  .toSorted(([left], [right]) => byUtf16(left, right))
                  .map(([key, below]) => [key, sorted(below)]),
              )
            : item
        return JSON.stringify(sorted(value))
      }),
  },
  {
    mistake: 'text ends at U+0000',
    rule: 'JSON keeps U+0000',
    breakIt: (backend) => withPayloads(backend, (json) => json.replaceAll('\\u0000', '')),
  },
  {
    mistake: 'half a surrogate pair becomes a replacement character',
    rule: 'JSON keeps lone surrogates',
    breakIt: (backend) => withPayloads(backend, (json) => json.replaceAll(/\\ud[89a-f]../g, '\ufffd')),
  },
  {
    mistake: "a branch is not checked against its session: another session's messages are returned",
    rule: "a list names a branch of its own session, not another's",
    breakIt: (backend) =>
      withReads(backend, 'messages', {
        page: async (scope, range, call) => {
          const branch = range.branch === null ? undefined : await backend.branches.get(scope, range.branch, call)
          return backend.messages.page(scope, { ...range, session: branch?.session ?? range.session }, call)
        },
      }),
  },
  {
    mistake: 'a fork copies the messages',
    rule: 'a fork writes the same number of rows whatever its length',
    breakIt: (backend) => ({
      ...backend,
      commit: async (scope, commands, call) => {
        const [command] = commands
        if (command?.type !== 'create-session' || command.source === null) return backend.commit(scope, commands, call)
        const { session, source } = command
        const range = { session: source, branch: null, after: 0, before: undefined, order: 'ascending' } as const
        const page = await backend.messages.page(scope, { ...range, limit: 1000, size: 1e9 }, call)
        const messages = (page?.messages ?? []).map(({ id, ...message }) => ({
          message: { ...message, id: `${session.id} ${id}` },
          parts: [],
        }))
        const copies = { type: 'append', session: session.id, branch: null, after: undefined, at: 0, messages } as const
        return backend.commit(scope, [{ ...command, branch: { ...command.branch, at: null } }, copies], call)
      },
    }),
  },
  {
    mistake: 'a replay writes twice',
    rule: 'a replayed append returns the stored message and writes nothing',
    breakIt: (backend) => {
      let copies = 0
      return {
        ...backend,
        commit: async (scope, commands, call) => {
          const outcome = await backend.commit(scope, commands, call)
          if (outcome.committed || outcome.expectation !== 'id') return outcome
          const renamed = commands.map((command): Command => {
            if (command.type !== 'append') return command
            const messages = command.messages.map(({ message, parts }) => ({
              message: { ...message, id: `${message.id} ${copies++}` },
              parts,
            }))
            return { ...command, messages }
          })
          return backend.commit(scope, renamed, call)
        },
      }
    },
  },
  {
    mistake: 'usage with an id is counted again',
    rule: 'usage with an id counts once',
    breakIt: (backend) =>
      withCommands(backend, (command) =>
        command.type === 'write-journal' && command.entry.type === 'usage'
          ? { ...command, entry: { ...command.entry, id: null } }
          : command,
      ),
  },
  {
    mistake: 'a null does not clear',
    rule: 'null clears a field',
    breakIt: (backend) =>
      withCommands(backend, (command) => {
        if (command.type !== 'patch-session') return command
        const set = Object.fromEntries(Object.entries(command.set).filter(([, value]) => value !== null))
        return { ...command, set }
      }),
  },
  {
    mistake: 'a refused commit leaves behind what came before the refusal',
    rule: 'a batch of which one write is refused writes nothing',
    breakIt: (backend) => ({
      ...backend,
      commit: async (scope, commands, call) => {
        const receipts = []
        for (const [index, command] of commands.entries()) {
          const outcome = await backend.commit(scope, [command], call)
          if (!outcome.committed) return { ...outcome, command: index }
          receipts.push(...outcome.receipts)
        }
        return { committed: true, receipts }
      },
    }),
  },
  {
    mistake: 'what is expected of the head is ignored',
    rule: 'an append after a message that is no longer the last is conflict and writes nothing',
    breakIt: (backend) =>
      withCommands(backend, (command) => (command.type === 'append' ? { ...command, after: undefined } : command)),
  },
  {
    mistake: 'a patch does not look at the version: the last one wins',
    rule: 'patches at the same time all count',
    breakIt: (backend) =>
      withoutExpecting(backend, 'version', async (scope, command, call) => {
        if (command.type !== 'patch-session') return command
        const row = await backend.sessions.get(scope, command.session, call)
        return { ...command, version: row?.version ?? 0 }
      }),
  },
  {
    mistake: 'a status is set whatever it was',
    rule: 'of changes at the same time that expect the same status one succeeds',
    breakIt: (backend) =>
      withoutExpecting(backend, 'status', async (scope, command, call) => {
        if (command.type !== 'set-status') return command
        const row = await backend.sessions.get(scope, command.session, call)
        return { ...command, from: row?.status ?? command.from }
      }),
  },
  {
    mistake: 'a settlement does not look at the revision',
    rule: 'of settlements at the same time one succeeds',
    breakIt: (backend) =>
      withoutExpecting(backend, 'revision', async (scope, command, call) => {
        if (command.type !== 'settle-message') return command
        const located = await backend.messages.get(scope, command.message, call)
        return { ...command, revision: located?.message.revision ?? 0 }
      }),
  },
  {
    mistake: 'a settlement replaces the part and loses the input',
    rule: 'a result never loses the input',
    breakIt: (backend) =>
      withCommands(backend, (command) => {
        if (command.type !== 'settle-message') return command
        const parts = command.parts.map((part) => {
          const { input: _, ...rest } = JSON.parse(part.payloadJson)
          return { ...part, payloadJson: JSON.stringify(rest) }
        })
        return { ...command, parts }
      }),
  },
  {
    mistake: 'deleting a session deletes what forks show',
    rule: 'what a fork shows stays when the source is deleted',
    breakIt: (backend) =>
      withReads(backend, 'messages', {
        page: async (scope, range, call) => {
          const page = await backend.messages.page(scope, range, call)
          if (page === undefined) return undefined
          const messages: StoredMessage[] = []
          for (const message of page.messages)
            if ((await backend.sessions.get(scope, message.session, call)) !== undefined) messages.push(message)
          return { ...page, messages }
        },
      }),
  },
  {
    mistake: 'what is deleted is never swept',
    rule: 'a deleted session leaves no row behind',
    breakIt: (backend) => withReads(backend, 'upkeep', { sweep: async () => false }),
  },
  {
    mistake: 'deleting a scope deletes the others too',
    rule: 'a scope is deleted whole, and no other is touched',
    breakIt: (backend) =>
      withReads(backend, 'upkeep', {
        hideScope: async (scope, call) => {
          const found = await backend.upkeep.hideScope(scope, call)
          for (const other of await backend.upkeep.scopes(undefined, 1000, call))
            await backend.upkeep.hideScope(other, call)
          return found
        },
      }),
  },
  {
    mistake: 'archived sessions are listed',
    rule: 'archived sessions are left out, unless they or both are asked for',
    breakIt: (backend) => withConditions(backend, (conditions) => ({ ...conditions, archived: 'any' })),
  },
  {
    mistake: 'a filter is forgotten',
    rule: 'sessions are found and counted by step',
    breakIt: (backend) =>
      withConditions(backend, (conditions) => {
        const { step: _, ...equals } = conditions.equals
        return { ...conditions, equals }
      }),
  },
  {
    mistake: 'a folder finds every folder that begins like it',
    rule: 'sessions are found in a folder with all that is below it',
    breakIt: (backend) =>
      withReads(backend, 'sessions', {
        list: async (scope, query, call) => {
          const { folder, descendants, ...conditions } = query.conditions
          if (folder === undefined || !descendants) return backend.sessions.list(scope, query, call)
          const rows = await backend.sessions.list(scope, { ...query, conditions }, call)
          const found = []
          for (const row of rows) {
            const folders = await backend.labels.of(scope, row.id, 'folder', call)
            if (folders.some((own) => own.startsWith(folder))) found.push(row)
          }
          return found
        },
      }),
  },
  {
    mistake: 'tags are ordered as JavaScript does',
    rule: 'tags of a session are listed in the order of their bytes',
    breakIt: (backend) =>
      withReads(backend, 'labels', {
        of: async (scope, session, kind, call) =>
          (await backend.labels.of(scope, session, kind, call)).toSorted(byUtf16),
      }),
  },
  {
    mistake: 'the last activity follows a clock that goes back',
    rule: 'the last activity never moves back, whatever the clock does',
    breakIt: (backend) => {
      const activity = new Map<string, number>()
      const written = {
        ...backend,
        commit: async (...given: Parameters<Backend['commit']>) => {
          for (const command of given[1])
            if (command.type === 'append' || command.type === 'touch-session') activity.set(command.session, command.at)
          return backend.commit(...given)
        },
      }
      return withReads(written, 'sessions', {
        get: async (scope, session, call) => {
          const row = await backend.sessions.get(scope, session, call)
          return row && { ...row, lastActivityAt: activity.get(session) ?? row.lastActivityAt }
        },
      })
    },
  },
  {
    mistake: 'the journal counts across sessions',
    rule: 'the journal is gapless from 1, in the order of commits',
    breakIt: (backend) =>
      withReads(backend, 'journal', {
        list: async (scope, query, call) => {
          const all = await backend.sessions.count(scope, { equals: {}, archived: 'any' }, call)
          const entries = await backend.journal.list(scope, query, call)
          return entries.map((entry) => ({ ...entry, seq: entry.seq * all }))
        },
      }),
  },
  {
    mistake: 'the journal keeps the content of messages',
    rule: 'an entry for a message holds its key and no content',
    breakIt: (backend) =>
      withReads(backend, 'journal', {
        list: async (scope, query, call) => {
          const entries = await backend.journal.list(scope, query, call)
          const contents = entries.map(async (entry) => {
            const located = entry.message === null ? undefined : await backend.messages.get(scope, entry.message, call)
            return { ...entry, payloadJson: located?.message.payloads[0] ?? entry.payloadJson }
          })
          return Promise.all(contents)
        },
      }),
  },
  {
    mistake: 'a fork inherits what its source spent',
    rule: 'a fork inherits no external reference, usage, status, archive, events or times',
    breakIt: (backend) => ({
      ...backend,
      commit: async (scope, commands, call) => {
        const inherited = await Promise.all(
          commands.map(async (command): Promise<Command> => {
            if (command.type !== 'create-session' || command.source === null) return command
            const source = await backend.sessions.get(scope, command.source, call)
            return { ...command, session: { ...command.session, usageInput: source?.usageInput ?? 0 } }
          }),
        )
        return backend.commit(scope, inherited, call)
      },
    }),
  },
  {
    mistake: 'a rewind throws away what it leaves',
    rule: 'a rewind ends the visible path at a message and keeps the old branch',
    breakIt: (backend) =>
      withReads(backend, 'messages', {
        page: async (scope, range, call) => {
          const page = await backend.messages.page(scope, range, call)
          const branch = page && (await backend.branches.get(scope, page.branch, call))
          return page && branch?.active === false ? { ...page, head: 0, messages: [] } : page
        },
      }),
  },
  {
    mistake: 'ids are folded to lower case',
    rule: 'ids that differ only in case or accents are different ids',
    breakIt: (backend) =>
      withCommands(
        withReads(backend, 'sessions', {
          get: (scope, session, call) => backend.sessions.get(scope, session.toLowerCase(), call),
        }),
        (command) =>
          command.type === 'create-session'
            ? { ...command, session: { ...command.session, id: command.session.id.toLowerCase() } }
            : command,
      ),
  },
  {
    mistake: 'a page has no limit of characters',
    rule: 'a page of messages ends at its limit of characters, and holds at least one',
    breakIt: (backend) =>
      withReads(backend, 'messages', {
        page: (scope, range, call) => backend.messages.page(scope, { ...range, size: Number.MAX_SAFE_INTEGER }, call),
      }),
  },
  {
    mistake: 'ancestors of ancestors are forgotten',
    rule: 'random operations leave the store as a naive model says, after every step',
    breakIt: (backend) =>
      withReads(backend, 'branches', {
        family: async (scope, session, call) => {
          const rows = await backend.branches.family(scope, session, call)
          const own = rows.filter((row) => row.session === session && !row.gone)
          const parents = new Set(own.map(({ parent }) => parent))
          return rows.filter((row) => own.includes(row) || parents.has(row.id))
        },
      }),
  },
]
