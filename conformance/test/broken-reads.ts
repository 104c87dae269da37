import type { Backend, Call, SessionConditions, StoredMessage, StoredSession } from '@holdfast/core'
import { type BrokenBackend, byUtf16, withCommands, withReads } from './broken-backend.js'

/** Lists sessions in an order of its own. */
function withOrder(backend: Backend, order: (left: StoredSession, right: StoredSession) => number): Backend {
  return withReads(backend, 'sessions', {
    list: async (scope, query, call) => {
      const all = await backend.sessions.list(scope, query, call)
      return all.toSorted((left, right) => order(left, right) * (query.order === 'newest' ? -1 : 1))
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

async function everyScope(backend: Backend, first: string, call: Call) {
  return [first, ...(await backend.upkeep.scopes(undefined, 1000, call))]
}

/** Backends that read wrongly. */
export const brokenReads: readonly BrokenBackend[] = [
  {
    mistake: 'order is lost on equal times',
    rule: 'sessions of equal activity are ordered by the UTF-8 bytes of their ids',
    breakIt: (backend) =>
      withOrder(
        backend,
        (left, right) => left.lastActivityAt - right.lastActivityAt || byUtf16(left.activeBranch, right.activeBranch),
      ),
  },
  {
    mistake: 'ids are compared as JavaScript does',
    rule: 'sessions of equal activity are ordered by the UTF-8 bytes of their ids',
    breakIt: (backend) =>
      withOrder(backend, (left, right) => left.lastActivityAt - right.lastActivityAt || byUtf16(left.id, right.id)),
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
    rule: 'whatever depth a message comes from, a fork can go back to it',
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
