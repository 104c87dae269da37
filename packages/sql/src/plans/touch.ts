import type { Compiled, Compiler } from '../compile.js'
import type { OfSession } from './session.js'

export interface Touch extends OfSession {
  readonly at: number
}

/** Moves the last activity of a session forward, never back. Returns its key and that of its active branch. */
export function touchSession({ traits, compile }: Compiler): Compiled<Touch> {
  return compile<Touch>('touch a session', ({ db, scope, slot }) =>
    db
      .updateTable('holdfast_sessions')
      .set((eb) => ({
        last_activity_at: eb.fn<number>(traits.greatest, ['last_activity_at', eb.val(slot('at'))]),
      }))
      .where('id', '=', slot('session'))
      .where('scope', '=', scope)
      .returning(['key', 'active_branch']),
  )
}
