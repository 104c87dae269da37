import type { Backend, Command } from '@holdfast/core'

/** A backend with one mistake in it, and the sentence of the contract that it breaks. */
export interface BrokenBackend {
  readonly mistake: string
  readonly rule: string
  breakIt(backend: Backend): Backend
}

type Reads = 'sessions' | 'branches' | 'messages' | 'labels' | 'journal' | 'upkeep'

/** The same backend with some reads of one group replaced. */
export function withReads<Group extends Reads>(
  backend: Backend,
  group: Group,
  replaced: Partial<Backend[Group]>,
): Backend {
  return { ...backend, [group]: { ...backend[group], ...replaced } }
}

/** The same backend with every command changed before it is carried out. */
export function withCommands(backend: Backend, change: (command: Command) => Command): Backend {
  return { ...backend, commit: (scope, commands, call) => backend.commit(scope, commands.map(change), call) }
}

/** The order of JavaScript, which is not that of bytes. */
export const byUtf16 = (left: string, right: string) => (left < right ? -1 : Number(left > right))
