import { hash } from 'node:crypto'
import type { Statement, Step } from '@holdfast/sql'

/** A statement as it is sent. */
export interface Wording {
  readonly text: string
  /**
   * Under which the server keeps its plan; empty where it should not. It follows from the text, so that stores that share
   * connections agree.
   */
  readonly name: string
  readonly returns: boolean
  /** Which columns of its answer are numbers, once the server has described it: it is asked only once. */
  numbers: readonly number[] | undefined
}

const plain = new WeakMap<Statement, Wording>()
const insisting = new WeakMap<Statement, Wording>()

export function wordingOf({ statement, expects, failsWhenTaken }: Step): Wording {
  const insists = expects !== undefined && failsWhenTaken !== true
  const known = insists ? insisting : plain
  let wording = known.get(statement)
  if (wording === undefined) {
    wording = worded(insists ? insistent(statement, expects) : statement.text, statement.returns)
    known.set(statement, wording)
  }
  return wording
}

export function worded(text: string, returns: boolean): Wording {
  return { text, name: `holdfast_${hash('sha256', text).slice(0, 32)}`, returns, numbers: undefined }
}

/** A statement that must not fail because somebody else has made the connection forget its names. */
export function nameless(text: string): Wording {
  return { text, name: '', returns: false, numbers: undefined }
}

/** Stands in the server's log beside a refused write, for who wonders about it. */
export const refusal = 'holdfast: a write is refused, because of the rows it needs it found'

/**
 * A statement that fails unless it affects or finds so many rows. All steps of a write are sent at once, so nobody could
 * look at the number between two of them; an error of the server rolls all of them back. The text that cannot be read as
 * a boolean holds nothing but the number.
 */
function insistent({ text, returns }: Statement, expects: number): string {
  const step = returns ? text : `${text} returning 1`
  return `with "step" as (${step}), "counted" as (select count(*) as "rows" from "step")
    select ${returns ? '"step".*' : ''} from "counted" left join "step" on true
    where case when "counted"."rows" = ${expects} then true else ('${refusal} ' || "counted"."rows")::boolean end`
}

/** The types of whole numbers, and of what sums of them are. */
const numeric: ReadonlySet<number> = new Set([20, 21, 23, 1700])

export function numbersAmong(types: readonly number[]): readonly number[] {
  return types.flatMap((type, at) => (numeric.has(type) ? [at] : []))
}
