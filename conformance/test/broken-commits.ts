import type { Backend, Call, Command, Expectation, PartRow } from '@holdfast/core'
import { type BrokenBackend, byUtf16, withCommands } from './broken-backend.js'

function withPayloads(backend: Backend, change: (json: string) => string): Backend {
  const changed = (parts: readonly PartRow[]) =>
    parts.map((part) => ({ ...part, payloadJson: change(part.payloadJson) }))
  return withCommands(backend, (command) => {
    if (command.type === 'settle-message') return { ...command, parts: changed(command.parts) }
    if (command.type !== 'append') return command
    return { ...command, messages: command.messages.map((message) => ({ ...message, parts: changed(message.parts) })) }
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

/** Appends under another id what was refused because its id is taken. */
function withSecondWrites(backend: Backend): Backend {
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
}

/** Backends that write wrongly. */
export const brokenCommits: readonly BrokenBackend[] = [
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
          message: { ...message, id: `${session.id} ${id}`, digest: '', size: 0 },
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
    breakIt: withSecondWrites,
  },
  {
    mistake: 'a replay writes twice and nobody thought of it',
    rule: 'random operations leave the store as a naive model says, after every step',
    breakIt: withSecondWrites,
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
        return { ...command, revision: located?.revision ?? 0 }
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
]
