import { type Backend, type Call, HoldfastError, type IdentifiedSession, type Receipt } from '@holdfast/core'
import { type BrokenBackend, withReads } from './broken-backend.js'

/** Commits under way, in whatever store: mistakes are tried one after the other. */
let underWay = 0

/** Carries out a commit, or what a mistake does instead when others are under way. */
function withMeetings(backend: Backend, instead: (commit: Backend['commit']) => Backend['commit']): Backend {
  return {
    ...backend,
    commit: async (...given) => {
      underWay++
      try {
        return await (underWay > 1 ? instead(backend.commit) : backend.commit)(...given)
      } finally {
        underWay--
      }
    },
  }
}

/** Where the next message of a session would stand. */
async function nextPlace(backend: Backend, scope: string, session: string, call: Call): Promise<Receipt> {
  const last = { session, branch: null, after: 0, before: undefined, order: 'descending', limit: 1, size: 1 } as const
  const page = await backend.messages.page(scope, last, call)
  return page === undefined ? {} : { branch: page.branch, position: page.head + 1 }
}

function withLostAppends(backend: Backend): Backend {
  return withMeetings(backend, (commit) => async (scope, commands, call) => {
    const [command] = commands
    if (command?.type !== 'append') return commit(scope, commands, call)
    const place = await nextPlace(backend, scope, command.session, call)
    return { committed: true, receipts: commands.map(() => place) }
  })
}

/** Backends that are right as long as nobody else writes. */
export const brokenMeetings: readonly BrokenBackend[] = [
  {
    mistake: 'a position is answered as it was before the write',
    rule: 'eight writers of one session leave no gap and lose nothing, and each keeps its own order',
    breakIt: (backend) => ({
      ...backend,
      commit: async (scope, commands, call) => {
        const [command] = commands
        const place = command?.type === 'append' ? await nextPlace(backend, scope, command.session, call) : {}
        const outcome = await backend.commit(scope, commands, call)
        if (!outcome.committed) return outcome
        const [first, ...others] = outcome.receipts
        return { committed: true, receipts: [{ ...first, ...place }, ...others] }
      },
    }),
  },
  {
    mistake: 'an append that meets another write is answered and lost',
    rule: 'eight writers of one session leave no gap and lose nothing, and each keeps its own order',
    breakIt: withLostAppends,
  },
  {
    mistake: 'an append that meets a deletion, a fork or anything else is answered and lost',
    rule: 'whatever is done to a session and its forks at the same time, what was acknowledged is there and nothing is broken',
    breakIt: withLostAppends,
  },
  {
    mistake: 'a write that meets another one is busy',
    rule: 'batches that write to the same sessions in opposite orders at the same time all succeed',
    breakIt: (backend) =>
      withMeetings(backend, () => async () => {
        throw new HoldfastError('busy', 'Another write is under way.')
      }),
  },
  {
    mistake: 'a message is read from a copy that is late',
    rule: 'of ten identical appends at the same time one writes, and all answer with its message',
    breakIt: (backend) => {
      const asked = new Set<string>()
      return withReads(backend, 'messages', {
        get: async (scope, message, call) => {
          if (asked.has(message)) return backend.messages.get(scope, message, call)
          asked.add(message)
          return undefined
        },
      })
    },
  },
  {
    mistake: 'the digest of a message is that of the last attempt',
    rule: 'of two contents for one id at the same time one is stored, and every append of the other is conflict',
    breakIt: (backend) => {
      const attempts = new Map<string, string>()
      const reading = withReads(backend, 'messages', {
        get: async (scope, message, call) => {
          const located = await backend.messages.get(scope, message, call)
          return located && { ...located, digest: attempts.get(message) ?? located.digest }
        },
      })
      return {
        ...reading,
        commit: (scope, commands, call) => {
          for (const command of commands)
            if (command.type === 'append')
              for (const { message } of command.messages) attempts.set(message.id, message.digest)
          return backend.commit(scope, commands, call)
        },
      }
    },
  },
  {
    mistake: 'others come between the commands of a commit',
    rule: 'a scope that is deleted while others write to it is whole or gone, whoever comes first',
    breakIt: (backend) => ({
      ...backend,
      commit: async (scope, commands, call) => {
        const receipts: Receipt[] = []
        for (const command of commands) {
          const outcome = await backend.commit(scope, [command], call)
          if (!outcome.committed) return outcome
          receipts.push(...outcome.receipts)
        }
        return { committed: true, receipts }
      },
    }),
  },
  {
    mistake: 'a store remembers the sessions that it has read',
    rule: 'a scope that is created again is a new one for everybody who knew the old one',
    breakIt: (backend) => {
      const remembered = new Map<string, IdentifiedSession | undefined>()
      return withReads(backend, 'sessions', {
        get: async (scope, session, call) => {
          const found = remembered.get(session) ?? (await backend.sessions.get(scope, session, call))
          remembered.set(session, found)
          return found
        },
      })
    },
  },
]
