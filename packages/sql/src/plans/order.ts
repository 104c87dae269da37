import type { Command } from '@holdfast/core'
import type { Compiler } from '../compile.js'
import { type Plan, run } from './plan.js'
import type { OfSession } from './session.js'

/** The sessions that a commit changes, each once. */
function sessionsOf(commands: readonly Command[]): readonly string[] {
  const sessions = new Set<string>()
  for (const command of commands) {
    if (command.type === 'create-session') {
      if (command.source !== null) sessions.add(command.source)
    } else if ('session' in command) sessions.add(command.session)
  }
  return [...sessions]
}

/**
 * The one session that a commit is about, if it is about one and nothing else: then nothing but that session's row, which
 * it locks first, can keep it waiting, and commits about different sessions may share a transaction.
 */
export function onlySession(commands: readonly Command[]): string | undefined {
  let only: string | undefined
  for (const command of commands) {
    if (command.type === 'create-session' || command.type === 'create-branch' || !('session' in command))
      return undefined
    if (only !== undefined && only !== command.session) return undefined
    only = command.session
  }
  return only
}

/**
 * Locks the sessions of a commit about several in the order of their ids, whatever the order of its commands: two such
 * commits then wait for each other instead of both for ever. Nothing where writers are alone anyway.
 */
export function lockInOrder({ traits, compile }: Compiler): (plan: Plan, commands: readonly Command[]) => void {
  if (!traits.locksRows) return () => undefined
  const lock = compile<OfSession>('lock a session', ({ db, scope, slot }) =>
    traits.holding(
      db.selectFrom('holdfast_sessions').select('key').where('id', '=', slot('session')).where('scope', '=', scope),
      'holdfast_sessions',
    ),
  )
  return (plan, commands) => {
    const sessions = sessionsOf(commands)
    if (sessions.length < 2) return
    for (const session of [...sessions].sort()) run(plan, lock, { scope: plan.scope, session })
  }
}
