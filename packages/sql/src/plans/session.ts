import type { Compiler, Scoped, Writing } from '../compile.js'
import type { Found } from '../executor.js'
import { expectOne, foundByLatest, type Plan } from './plan.js'

export interface OfSession extends Scoped {
  readonly session: string
}

/** Makes sure that the session is there, and that nothing else changes it before the commit. */
export interface HoldSession {
  (plan: Plan, session: string): void
  /** Its key, for the steps that follow. */
  keyOf(plan: Plan, session: string): Found
}

export function holdSession({ traits, compile }: Compiler): HoldSession {
  const found = compile<OfSession>('find a session', ({ db, scope, slot }) =>
    traits.holding(
      db.selectFrom('holdfast_sessions').select('key').where('id', '=', slot('session')).where('scope', '=', scope),
      'holdfast_sessions',
    ),
  )
  function find(plan: Plan, session: string): Found {
    expectOne(plan, found, { scope: plan.scope, session }, 'session')
    plan.held.add(session)
    const key = foundByLatest(plan, 0)
    plan.keys.set(session, key)
    return key
  }
  const hold = (plan: Plan, session: string) => {
    if (!plan.held.has(session)) find(plan, session)
  }
  return Object.assign(hold, {
    keyOf: (plan: Plan, session: string) => plan.keys.get(session) ?? find(plan, session),
  })
}

/** The row of the session that the input names. */
export function sessionRow<Input extends OfSession>({ db, scope, slot }: Writing<Input>) {
  return db
    .selectFrom('holdfast_sessions')
    .where('holdfast_sessions.id', '=', slot('session'))
    .where('holdfast_sessions.scope', '=', scope)
}

export function sessionKey<Input extends OfSession>(writing: Writing<Input>) {
  return sessionRow(writing).select('holdfast_sessions.key')
}
