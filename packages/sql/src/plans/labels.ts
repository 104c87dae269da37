import type { ChangeLabels, Label } from '@holdfast/core'
import type { Compiled, Compiler } from '../compile.js'
import { type Plan, run } from './plan.js'
import { type HoldSession, type OfSession, sessionKey } from './session.js'

interface Labelled extends OfSession {
  readonly label: Label
}

interface OfKind extends OfSession {
  readonly kind: Label['kind']
}

interface Copy extends OfSession {
  readonly source: string
}

/** Labels a session that is there; a label that it has already is no error. */
export function addLabel({ compile }: Compiler): Compiled<Labelled> {
  return compile<Labelled>('add a label', (writing) =>
    writing.db
      .insertInto('holdfast_labels')
      .values({
        scope: writing.scope,
        session: sessionKey(writing),
        kind: writing.computed((input) => input.label.kind),
        value: writing.computed((input) => input.label.value),
      })
      .onConflict((conflict) => conflict.doNothing()),
  )
}

/** Gives a session the tags and folders of another one. */
export function copyLabels({ compile }: Compiler): Compiled<Copy> {
  return compile<Copy>('copy labels', ({ db, scope, slot }) =>
    db
      .insertInto('holdfast_labels')
      .columns(['scope', 'session', 'kind', 'value'])
      .expression(
        db
          .selectFrom('holdfast_sessions as s')
          .innerJoin('holdfast_sessions as source', 'source.scope', 's.scope')
          .innerJoin('holdfast_labels as l', (join) =>
            join.onRef('l.scope', '=', 'source.scope').onRef('l.session', '=', 'source.key'),
          )
          .select(['s.scope', 's.key', 'l.kind', 'l.value'])
          .where('s.id', '=', slot('session'))
          .where('s.scope', '=', scope)
          .where('source.id', '=', slot('source'))
          .where('l.kind', 'in', ['tag', 'folder']),
      )
      .onConflict((conflict) => conflict.doNothing()),
  )
}

export function planChangeLabels(compiler: Compiler, hold: HoldSession): (plan: Plan, command: ChangeLabels) => void {
  const { compile } = compiler
  const add = addLabel(compiler)
  const remove = compile<Labelled>('remove a label', (writing) =>
    writing.db
      .deleteFrom('holdfast_labels')
      .where('scope', '=', writing.scope)
      .where('session', '=', sessionKey(writing))
      .where(
        'kind',
        '=',
        writing.computed((input) => input.label.kind),
      )
      .where(
        'value',
        '=',
        writing.computed((input) => input.label.value),
      ),
  )
  const clear = compile<OfKind>('remove all labels of a kind', (writing) =>
    writing.db
      .deleteFrom('holdfast_labels')
      .where('scope', '=', writing.scope)
      .where('session', '=', sessionKey(writing))
      .where('kind', '=', writing.slot('kind')),
  )
  return (plan, { session, kind, change, values }) => {
    const { scope } = plan
    hold(plan, session)
    if (change === 'replace') run(plan, clear, { scope, session, kind })
    const each = change === 'remove' ? remove : add
    for (const value of values) run(plan, each, { scope, session, label: { kind, value } })
  }
}
