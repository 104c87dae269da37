import type { PatchSession, SessionColumns } from '@holdfast/core'
import { sql } from 'kysely'
import { written } from '../codec/columns.js'
import { sessionFields } from '../codec/sessions.js'
import { type Compiled, type Compiler, compiledWhenNeeded } from '../compile.js'
import { externalSourceOf, shelfOf } from './create-session.js'
import { expectOne, type Plan } from './plan.js'
import type { HoldSession, OfSession } from './session.js'

interface Patch extends OfSession {
  readonly set: SessionColumns
  readonly version: number
}

export function planPatchSession(compiler: Compiler, hold: HoldSession): (plan: Plan, command: PatchSession) => void {
  const { compile } = compiler
  const patch = patchByFields(compiler)
  const isReferenceFree = referenceByFields(compiler)

  const hasVersion = compile<Patch>('see the version of a session', ({ db, scope, slot }) =>
    db
      .selectFrom('holdfast_sessions')
      .select('key')
      .where('id', '=', slot('session'))
      .where('scope', '=', scope)
      .where('version', '=', slot('version')),
  )

  return (plan, { session, set, version }) => {
    const input = { scope: plan.scope, session, set, version }
    hold(plan, session)
    const named = ['externalRef', 'source'].filter((property) => Object.hasOwn(set, property))
    if (named.length > 0) {
      expectOne(plan, hasVersion, input, 'version')
      expectOne(plan, isReferenceFree(named.join(), input), input, 'externalRef')
    }
    expectOne(plan, patch(Object.keys(set).sort().join(), input), input, 'version')
  }
}

function patchByFields({ compile }: Compiler): (form: string, input: Patch) => Compiled<Patch> {
  return compiledWhenNeeded<Patch>((form, { set }) =>
    compile<Patch>(`patch a session: ${form}`, (writing) => {
      const { db, scope, slot, computed } = writing
      const follows = {
        ...(Object.hasOwn(set, 'archivedAt') && {
          shelf: computed((input: Patch) => shelfOf(input.set.archivedAt ?? null)),
        }),
        ...(Object.hasOwn(set, 'source') && {
          external_source: computed((input: Patch) => externalSourceOf(input.set.source ?? null)),
        }),
      }
      return db
        .updateTable('holdfast_sessions')
        .set(
          written(
            sessionFields.filter(({ property }) => Object.hasOwn(set, property)),
            (input) => input.set,
            writing,
          ),
        )
        .set((eb) => ({ ...follows, version: eb('version', '+', 1) }))
        .where('id', '=', slot('session'))
        .where('scope', '=', scope)
        .where('version', '=', slot('version'))
    }),
  )
}

/** Whether no other session has the reference and source that the patch leads to; what it leaves out is the session's own. */
function referenceByFields({ compile }: Compiler): (form: string, input: Patch) => Compiled<Patch> {
  return compiledWhenNeeded<Patch>((form, { set }) =>
    compile<Patch>(`see that a reference is free: ${form}`, ({ db, scope, slot, computed }) => {
      const reference = Object.hasOwn(set, 'externalRef')
        ? sql<string>`${computed((input) => input.set.externalRef ?? null)}`
        : sql.ref<string>('s.external_ref')
      const source = Object.hasOwn(set, 'source')
        ? sql<string>`${computed((input) => externalSourceOf(input.set.source ?? null))}`
        : sql.ref<string>('s.external_source')
      return db
        .selectFrom('holdfast_sessions as s')
        .select('s.key')
        .where('s.id', '=', slot('session'))
        .where('s.scope', '=', scope)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('holdfast_sessions as other')
                .select('other.key')
                .where('other.external_ref', '=', reference)
                .where('other.external_source', '=', source)
                .whereRef('other.scope', '=', 's.scope')
                .whereRef('other.key', '<>', 's.key'),
            ),
          ),
        )
    }),
  )
}
