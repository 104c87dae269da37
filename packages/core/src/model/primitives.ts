import { z } from 'zod'
import type { Entity } from '../errors.js'
import { isPlainObject, type JsonObject, type JsonValue } from '../json.js'
import type { Limits } from '../limits.js'
import { exceedsBytes } from '../text.js'

/** Marks a schema as the id of something, so that tests can find every id an operation takes. */
export interface IdMark {
  readonly entity: Entity
  /** Whether the id names something that must exist already, rather than something to be created. */
  readonly refers: boolean
}

export const idMarks = z.registry<IdMark>()

/** The issue parameter that turns a failed check into `too_large` instead of `invalid`. */
export const tooLargeParams = { tooLarge: true }

const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

function storableProblem(text: string): string | undefined {
  if (text.includes('\u0000')) return 'must not contain U+0000'
  if (loneSurrogate.test(text)) return 'must not contain half a surrogate pair'
  return undefined
}

/** A text that is kept in a column of its own: no U+0000, no lone surrogates, a bounded number of bytes. */
export function columnText(bytes: number, { empty = false } = {}) {
  return z.string().check((context) => {
    const text = context.value
    if (text.length === 0 && !empty) {
      context.issues.push({ code: 'custom', message: 'must not be empty', input: text })
      return
    }
    const problem = storableProblem(text)
    if (problem) context.issues.push({ code: 'custom', message: problem, input: text })
    else if (exceedsBytes(text, bytes))
      context.issues.push({
        code: 'custom',
        message: `is larger than ${bytes} bytes`,
        input: text,
        params: tooLargeParams,
      })
  })
}

/** The id of something that must exist. */
export function idOf(entity: Entity, limits: Limits) {
  const schema = columnText(limits.idBytes)
  idMarks.add(schema, { entity, refers: true })
  return schema
}

/** An id the caller may choose for what a call creates. */
export function newIdOf(entity: Entity, limits: Limits) {
  const schema = columnText(limits.idBytes)
  idMarks.add(schema, { entity, refers: false })
  return schema.optional()
}

/** Checked when it is encoded, where its size is known: see `encodeJson`. */
export const jsonValue = z.custom<JsonValue>((value) => value !== undefined)
export const jsonObject = z.custom<JsonObject>(isPlainObject, { error: 'must be a plain object' })

/** A free text, kept as JSON so that every character survives. */
export const freeText = z.string()

export const epochMs = z.int().min(0)
export const count = z.int().min(0)

/** Cancels a call. A write that was not sent yet is `aborted`; one whose fate is unknown is `outcome_unknown`. */
export const signal = z.custom<AbortSignal>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    ['aborted', 'addEventListener', 'removeEventListener'].every((name) => name in value),
)

/**
 * What a caller hands over to a schema. Its arrays may be readonly, so that what one call returned can be given to
 * another as it is.
 */
export type Given<Schema extends z.ZodType> = {
  [Field in keyof z.input<Schema>]: Unlocked<z.input<Schema>[Field]>
}
type Unlocked<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value

export const callOptions = z.strictObject({ signal: signal.optional() })
export type CallOptions = z.input<typeof callOptions>

export const updateOptions = z.strictObject({
  /** The version the record must still have. */
  ifVersion: z.int().min(1).optional(),
  signal: signal.optional(),
})
export type UpdateOptions = z.input<typeof updateOptions>
