import { z } from 'zod'
import { isPlainObject, type JsonObject, type JsonValue } from '../json.js'
import type { Limits } from '../limits.js'
import { columnText } from './primitives.js'

// The known part types are those of the AI SDK's UI messages. A known type is validated; an unknown one is stored as it
// is, so that a tool that no longer exists still reads back.

export const toolStates = [
  'input-streaming',
  'input-available',
  'approval-requested',
  'approval-responded',
  'output-available',
  'output-error',
  'output-denied',
] as const
export type ToolState = (typeof toolStates)[number]

export const finalToolStates: ReadonlySet<string> = new Set(['output-available', 'output-error', 'output-denied'])

/** A part as it is given: of any type, with any fields that its type does not forbid. */
export type PartInput = { readonly type: string } & JsonObject

export interface TextPart extends JsonObject {
  readonly type: 'text'
  readonly text: string
  readonly state?: 'streaming' | 'done'
}
export interface ReasoningPart extends JsonObject {
  readonly type: 'reasoning'
  readonly text: string
  readonly state?: 'streaming' | 'done'
}
export interface FilePart extends JsonObject {
  readonly type: 'file' | 'reasoning-file'
  readonly mediaType: string
  readonly url: string
  readonly filename?: string
}
export interface SourceUrlPart extends JsonObject {
  readonly type: 'source-url'
  readonly sourceId: string
  readonly url: string
  readonly title?: string
}
export interface SourceDocumentPart extends JsonObject {
  readonly type: 'source-document'
  readonly sourceId: string
  readonly mediaType: string
  readonly title: string
  readonly filename?: string
}
export interface StepStartPart extends JsonObject {
  readonly type: 'step-start'
}
export interface DataPart extends JsonObject {
  readonly type: `data-${string}`
  readonly data: JsonValue
}
export interface ToolPart extends JsonObject {
  readonly type: `tool-${string}` | 'dynamic-tool'
  readonly toolCallId: string
  readonly state: ToolState
}
export interface CustomPart extends JsonObject {
  readonly type: 'custom'
}

export type KnownPart =
  | TextPart
  | ReasoningPart
  | FilePart
  | SourceUrlPart
  | SourceDocumentPart
  | StepStartPart
  | DataPart
  | ToolPart
  | CustomPart

/** A text that is none of the known types. Types without a name of their own could not be told from them. */
declare enum OtherType {
  other = '',
}

/** A part of a type that is not known here. Compare its type as a text: `const type: string = part.type`. */
export interface UnknownPart extends JsonObject {
  readonly type: OtherType
}

/**
 * A part as it is read: its payload exactly as it was given. Its type says what it has.
 *
 * @example
 * ```ts
 * for (const part of message.parts) {
 *   if (part.type === 'text') console.log(part.text)
 *   else if (isToolPart(part)) console.log(part.toolCallId, part.state)
 * }
 * ```
 */
export type Part = KnownPart | UnknownPart

export const isTextPart = (part: PartInput): part is TextPart => part.type === 'text'
export const isReasoningPart = (part: PartInput): part is ReasoningPart => part.type === 'reasoning'
export const isFilePart = (part: PartInput): part is FilePart => part.type === 'file' || part.type === 'reasoning-file'
export const isSourceUrlPart = (part: PartInput): part is SourceUrlPart => part.type === 'source-url'
export const isSourceDocumentPart = (part: PartInput): part is SourceDocumentPart => part.type === 'source-document'
export const isStepStartPart = (part: PartInput): part is StepStartPart => part.type === 'step-start'
export const isDataPart = (part: PartInput): part is DataPart => part.type.startsWith('data-')
export const isToolPart = (part: PartInput): part is ToolPart => isToolType(part.type)
export const isCustomPart = (part: PartInput): part is CustomPart => part.type === 'custom'

export function isToolType(type: string): boolean {
  return type === 'dynamic-tool' || type.startsWith('tool-')
}

const text = z.looseObject({ text: z.string(), state: z.enum(['streaming', 'done']).optional() })
const file = z.looseObject({ mediaType: z.string(), url: z.string(), filename: z.string().optional() })
const fixedTypes: Readonly<Record<string, z.ZodType>> = {
  text,
  reasoning: text,
  file,
  'reasoning-file': file,
  'source-url': z.looseObject({ sourceId: z.string(), url: z.string(), title: z.string().optional() }),
  'source-document': z.looseObject({
    sourceId: z.string(),
    mediaType: z.string(),
    title: z.string(),
    filename: z.string().optional(),
  }),
}

const approval = z.looseObject({ id: z.string(), approved: z.boolean().optional(), reason: z.string().optional() })
const answer = approval.extend({ approved: z.boolean() })
const denial = approval.extend({ approved: z.literal(false).optional() })

const toolPart = (limits: Limits) => {
  const base = { toolCallId: columnText(limits.idBytes) }
  return z.discriminatedUnion('state', [
    z.looseObject({ ...base, state: z.enum(['input-streaming', 'input-available', 'output-available']) }),
    z.looseObject({ ...base, state: z.literal('approval-requested'), approval }),
    z.looseObject({ ...base, state: z.literal('approval-responded'), approval: answer }),
    z.looseObject({ ...base, state: z.literal('output-denied'), approval: denial }),
    z.looseObject({ ...base, state: z.literal('output-error'), errorText: z.string() }),
  ])
}

const dynamicTool = z.looseObject({ toolName: z.string() })
const dataPart = z.looseObject({ data: z.custom((value) => value !== undefined) })

/** Validates a part by its type. What is stored is the caller's value, never what a schema made of it. */
export const part = (limits: Limits) => {
  const type = columnText(limits.titleBytes)
  const tool = toolPart(limits)
  const schemaFor = (name: string): z.ZodType | undefined => {
    if (Object.hasOwn(fixedTypes, name)) return fixedTypes[name]
    if (name.startsWith('data-')) return dataPart
    return undefined
  }
  const report = (context: z.core.ParsePayload<unknown>, schema: z.ZodType) => {
    const result = schema.safeParse(context.value)
    if (result.success) return
    for (const issue of result.error.issues)
      context.issues.push({ ...issue, input: context.value } as z.core.$ZodRawIssue)
  }
  const named = z.looseObject({ type })
  return z.custom<PartInput>(isPlainObject, { error: 'must be a plain object' }).check((context) => {
    if (context.issues.length > 0) return
    report(context, named)
    if (context.issues.length > 0) return
    const name = context.value.type
    const schema = isToolType(name) ? tool : schemaFor(name)
    if (schema) report(context, schema)
    if (name === 'dynamic-tool') report(context, dynamicTool)
  })
}

/** A part as it is stored, with what the store knows about it. */
export interface PartRecord {
  readonly id: string
  readonly index: number
  readonly type: string
  readonly toolCallId: string | null
  readonly state: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly payload: Part
}

/**
 * How a tool call goes on: fields laid over the stored part, whose input is never lost. An approval is laid over the one
 * that was asked for, and has its id; a denial needs one, given or stored.
 */
export const partSettlement = (_limits: Limits) =>
  z.discriminatedUnion('state', [
    z.strictObject({ state: z.literal('input-available'), input: z.custom((v) => v !== undefined) }),
    z.strictObject({ state: z.literal('approval-requested'), approval }),
    z.strictObject({ state: z.literal('approval-responded'), approval: answer }),
    z.strictObject({
      state: z.literal('output-available'),
      output: z.custom((v) => v !== undefined),
      preliminary: z.boolean().optional(),
    }),
    z.strictObject({ state: z.literal('output-error'), errorText: z.string() }),
    z.strictObject({ state: z.literal('output-denied'), approval: denial.optional() }),
  ])
export type PartSettlement = z.input<ReturnType<typeof partSettlement>>
