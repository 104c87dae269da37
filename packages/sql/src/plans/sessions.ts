import type { AddUsage, DeleteSession, SetStatus, TouchSession } from '@holdfast/core'
import type { Compiler } from '../compile.js'
import { deletedShelf } from '../shown.js'
import { expectOne, type Plan } from './plan.js'
import type { HoldSession, OfSession } from './session.js'
import { touchSession } from './touch.js'

export function planTouchSession(compiler: Compiler): (plan: Plan, command: TouchSession) => void {
  const touch = touchSession(compiler)
  return (plan, { session, at }) => {
    expectOne(plan, touch, { scope: plan.scope, session, at }, 'session')
    plan.held.add(session)
  }
}

interface StatusChange extends OfSession, Omit<SetStatus, 'type'> {}

export function planSetStatus({ compile }: Compiler, hold: HoldSession): (plan: Plan, command: SetStatus) => void {
  const set = compile<StatusChange>('set the status of a session', ({ db, scope, slot }) =>
    db
      .updateTable('holdfast_sessions')
      .set((eb) => ({
        status: slot('to'),
        status_reason_json: slot('reasonJson'),
        started_at: eb.fn.coalesce('started_at', eb.val(slot('startedAt'))),
        ended_at: slot('endedAt'),
      }))
      .where('id', '=', slot('session'))
      .where('scope', '=', scope)
      .where('status', '=', slot('from')),
  )
  return (plan, change) => {
    hold(plan, change.session)
    expectOne(plan, set, { scope: plan.scope, ...change }, 'status')
  }
}

type Spent = OfSession & AddUsage['usage']

export function planAddUsage({ compile }: Compiler): (plan: Plan, command: AddUsage) => void {
  const add = compile<Spent>('add usage', ({ db, scope, slot }) =>
    db
      .updateTable('holdfast_sessions')
      .set((eb) => ({
        usage_input: eb('usage_input', '+', slot('input')),
        usage_output: eb('usage_output', '+', slot('output')),
        usage_reasoning: eb('usage_reasoning', '+', slot('reasoning')),
        usage_cache_read: eb('usage_cache_read', '+', slot('cacheRead')),
        usage_cache_write: eb('usage_cache_write', '+', slot('cacheWrite')),
        usage_total: eb('usage_total', '+', slot('total')),
        usage_cost: eb('usage_cost', '+', slot('cost')),
      }))
      .where('id', '=', slot('session'))
      .where('scope', '=', scope),
  )
  return (plan, { session, usage }) => {
    expectOne(plan, add, { scope: plan.scope, session, ...usage }, 'session')
    plan.held.add(session)
  }
}

export function planDeleteSession({ compile }: Compiler): (plan: Plan, command: DeleteSession) => void {
  const hide = compile<OfSession>('hide a session', ({ db, scope, slot }) =>
    db
      .updateTable('holdfast_sessions')
      .set((eb) => ({ former_id: eb.ref('id'), id: null, shelf: deletedShelf, external_ref: null, unswept: 1 }))
      .where('id', '=', slot('session'))
      .where('scope', '=', scope),
  )
  return (plan, { session }) => {
    expectOne(plan, hide, { scope: plan.scope, session }, 'session')
    plan.held.delete(session)
    plan.keys.delete(session)
  }
}
