import type { Compiled, Compiler, Writing } from '../compile.js'
import type { QueryTraits } from '../traits.js'
import type { OfSession } from './session.js'

export interface Touch extends OfSession {
  readonly at: number
}

/** Touches the session only while the scope has the key that it is known by. */
export interface GuardedTouch extends Touch {
  readonly scopeId: string
}

/** Moves the last activity of a session forward, never back. Returns its key and that of its active branch. */
export function touchSession({ traits, compile }: Compiler): Compiled<Touch> {
  return compile<Touch>('touch a session', (writing) => touched(traits, writing))
}

/** The same as the first step of a plan, which must see that the scope is still there. */
export function touchSessionOfScope({ traits, compile }: Compiler): Compiled<GuardedTouch> {
  return compile<GuardedTouch>('touch a session of a known scope', (writing) =>
    touched(traits, writing).where(({ exists, selectFrom }) =>
      exists(
        selectFrom('holdfast_scopes as known')
          .select('known.key')
          .where('known.key', '=', writing.scope)
          .where('known.id', '=', writing.slot('scopeId')),
      ),
    ),
  )
}

function touched<Input extends Touch>(traits: QueryTraits, { db, scope, slot }: Writing<Input>) {
  return db
    .updateTable('holdfast_sessions')
    .set((eb) => ({
      last_activity_at: eb.fn<number>(traits.greatest, ['last_activity_at', eb.val(slot('at'))]),
    }))
    .where('holdfast_sessions.id', '=', slot('session'))
    .where('holdfast_sessions.scope', '=', scope)
    .returning(['holdfast_sessions.key', 'active_branch'])
}
