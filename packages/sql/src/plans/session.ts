import type { Compiler, Scoped, Writing } from '../compile.js'
import { expectOne, type Plan } from './plan.js'

export interface OfSession extends Scoped {
  readonly session: string
}

/** Makes sure that the session is there, and that nothing else changes it before the commit. */
export type HoldSession = (plan: Plan, session: string) => void

export function holdSession({ traits, compile }: Compiler): HoldSession {
  const found = compile<OfSession>('find a session', ({ db, scope, slot }) =>
    traits.holding(
      db.selectFrom('holdfast_sessions').select('key').where('id', '=', slot('session')).where('scope', '=', scope),
      'holdfast_sessions',
    ),
  )
  return (plan, session) => {
    if (plan.held.has(session)) return
    expectOne(plan, found, { scope: plan.scope, session }, 'session')
    plan.held.add(session)
  }
}

/** The key of the session that the input names. */
export function sessionKey<Input extends OfSession>({ db, scope, slot }: Writing<Input>) {
  return db.selectFrom('holdfast_sessions').select('key').where('id', '=', slot('session')).where('scope', '=', scope)
}
