import type { Command } from '../ports/commands.js'
import type { Work } from '../work.js'
import type { Draft } from './draft.js'

/** The session that a command changes, where it names one that must be there. */
export function sessionOf(command: Command | undefined): string | undefined {
  return command && 'session' in command && typeof command.session === 'string' ? command.session : undefined
}

/**
 * Of drafts that create only what is stored already: the commands that are carried out again. Labels, touches,
 * activations and deletions have no id by which one could tell whether they took place, and may be repeated: they only
 * say how something is to be. A deletion is left out where its session is gone, or was created by the same drafts since,
 * and with it all that they did to that session before.
 */
export async function commandsToRepeat(work: Work, drafts: readonly Draft<unknown>[]): Promise<readonly Command[]> {
  const repeated: (readonly Command[])[] = []
  const created = new Set<string>()
  const deleted = new Set<string>()
  const activated = new Set<string>()
  for (const { commands, creations } of drafts.toReversed()) {
    for (const { entity, id } of creations) if (entity === 'session') created.add(id)
    if (creations.length > 0) continue
    const [command] = commands
    const session = sessionOf(command)
    if (command === undefined || session === undefined || deleted.has(session)) continue
    if (command.type === 'delete-session' && (created.has(session) || !(await isThere(work, session)))) {
      deleted.add(session)
      continue
    }
    // Only the last activation counts.
    const settled =
      command.type === 'activate-branch' && (activated.has(session) || (await isActive(work, command.branch)))
    if (command.type === 'activate-branch') activated.add(session)
    if (!settled) repeated.push(commands)
  }
  return repeated.reverse().flat()
}

async function isThere(work: Work, session: string): Promise<boolean> {
  return (await work.backend.sessions.get(work.scope, session, work)) !== undefined
}

async function isActive(work: Work, branch: string): Promise<boolean> {
  return (await work.backend.branches.get(work.scope, branch, work))?.active === true
}
