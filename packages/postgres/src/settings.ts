import type { About } from '@holdfast/sql'
import type { Sending } from './pipeline.js'
import { worded } from './wording.js'

/** How the executor speaks with a server. */
export interface Manner {
  /** Whether the server may keep statements under names: not where connections change hands between transactions. */
  named: boolean
  /** Whether the server keeps scopes apart by row-level security, and must be told which one a transaction is about. */
  rowLevelSecurity: boolean
  /** The time limit of a statement where it is set in every transaction; otherwise the connection has it already. */
  readonly limitEachMs: number | undefined
  /** How long the server may be silent. */
  readonly silenceMs: number
}

export const scopeSetting = 'holdfast.scope'
export const acrossSetting = 'holdfast.across'

const limited = worded(`select set_config('statement_timeout', $1, true)`, false)
const secured = worded(
  `select set_config('${scopeSetting}', $1, true), set_config('${acrossSetting}', $2, true)`,
  false,
)

/** What a transaction says before its first statement. It holds until its end and never leaves the transaction. */
export function settingsFor({ scope }: About, manner: Manner): readonly Sending[] {
  const sendings: Sending[] = []
  if (manner.limitEachMs !== undefined) sendings.push({ wording: limited, values: [manner.limitEachMs] })
  if (manner.rowLevelSecurity) sendings.push({ wording: secured, values: [scope ?? '', scope === null ? 'on' : ''] })
  return sendings
}

/** What stands before and after statements inside of somebody else's transaction. */
export interface Surroundings {
  readonly before: readonly Sending[]
  readonly after: readonly Sending[]
}

const settings = [scopeSetting, acrossSetting]
const remembering = copying(settings.map((name) => [name, `${name}_before`]))
const restoring = copying(settings.map((name) => [`${name}_before`, name]))

/** The rest of the caller's transaction has the settings that it had. Its time limit is the caller's own all along. */
export function surroundingsFor(about: About, manner: Manner): Surroundings {
  const own = settingsFor(about, { ...manner, limitEachMs: undefined })
  return own.length === 0 ? { before: [], after: [] } : { before: [remembering, ...own], after: [restoring] }
}

/** All in one message, so only the server can keep what it finds. */
function copying(pairs: readonly (readonly [from: string, to: string])[]): Sending {
  const copies = pairs.map(([from, to]) => `set_config('${to}', coalesce(current_setting('${from}', true), ''), true)`)
  return { wording: worded(`select ${copies.join(', ')}`, false), values: [] }
}
