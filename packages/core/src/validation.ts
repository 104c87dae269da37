import type { z } from 'zod'
import { HoldfastError, invalid } from './errors.js'
import type { Limits } from './limits.js'
import { type FindExotic, findExotic } from './plain-fields.js'

interface Described {
  readonly arguments: (limits: Limits) => Readonly<Record<string, z.ZodType>>
}

interface Argument {
  readonly name: string
  readonly schema: z.ZodType
  readonly findExotic: FindExotic | undefined
}

/** Refuses arguments that an operation does not take. */
export type Validate = (operation: Described, given: readonly unknown[]) => void

/** Schemas are built once per store and operation, when they are first needed. */
export function createValidator(limits: Limits): Validate {
  const schemas = new Map<Described['arguments'], readonly Argument[]>()
  return (operation, given) => {
    let described = schemas.get(operation.arguments)
    if (described === undefined) {
      const entries = Object.entries(operation.arguments(limits))
      described = entries.map(([name, schema]) => ({ name, schema, findExotic: findExotic(schema) }))
      schemas.set(operation.arguments, described)
    }
    for (let at = 0; at < described.length; at++) {
      // The index is below the length.
      const { name, schema, findExotic: find } = described[at] as Argument
      const exotic = find?.(given[at])
      if (exotic !== undefined) throw invalid(`${name}${exotic} must be a plain object.`, name + exotic)
      const result = schema.safeParse(given[at])
      if (!result.success) throw refused(name, result.error)
    }
  }
}

/** Names the path of the first problem, and never a value. */
function refused(argument: string, error: z.ZodError): HoldfastError {
  const issue = error.issues[0]
  if (issue === undefined) return invalid(`${argument} is not valid.`, argument)
  const path = argument + pathText(issue.path)
  const message = `${path} ${problemOf(issue)}.`
  return isTooLarge(issue) ? new HoldfastError('too_large', message, { path }) : invalid(message, path)
}

function pathText(path: readonly PropertyKey[]): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
}

/** The problem in words of the schema only: what the caller gave may be a secret. */
function problemOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be of type ${issue.expected}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_big':
      return `must be at most ${issue.maximum}`
    case 'too_small':
      return `must be at least ${issue.minimum}`
    case 'unrecognized_keys':
      return 'has a field that does not belong there'
    case 'custom':
      return issue.message === 'Invalid input' ? 'is not valid' : issue.message
    default:
      return 'is not valid'
  }
}

/** Above a limit of the store is `too_large`; a number outside of its range, such as a page's limit, is `invalid`. */
function isTooLarge(issue: z.core.$ZodIssue): boolean {
  if (issue.code === 'custom') return issue.params?.tooLarge === true
  return issue.code === 'too_big' && issue.origin === 'array'
}
