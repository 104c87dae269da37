import { type DescribedOperation, type IdMark, idMarks, type Limits } from '@holdfast/core'

type Schema = ReturnType<DescribedOperation['arguments']>[string]

export type Path = readonly (string | number)[]

/** A place in the arguments of an operation, from the argument itself down to every field of it. */
export interface Field {
  /** Begins with the number of the argument. */
  readonly path: Path
  readonly kind: string
  readonly optional: boolean
  readonly nullable: boolean
  /** Whether a text is kept in a column, where not every character may stand. */
  readonly checked: boolean
  readonly mark: IdMark | undefined
}

/** What is used of the description that every schema carries. */
interface Definition {
  readonly type: string
  readonly innerType?: Schema
  readonly element?: Schema
  readonly shape?: Readonly<Record<string, Schema>>
  readonly checks?: readonly unknown[]
}

/** Every field that an operation takes, found by walking its schemas. */
export function fieldsOf(operation: DescribedOperation, limits: Limits): readonly Field[] {
  return Object.values(operation.arguments(limits)).flatMap((schema, index) => walk(schema, [index]))
}

function walk(schema: Schema, path: Path, optional = false, nullable = false): readonly Field[] {
  const definition = definitionOf(schema)
  const { type, innerType, element, shape, checks = [] } = definition
  if (innerType !== undefined)
    return walk(innerType, path, optional || type === 'optional', nullable || type === 'nullable')
  const self = { path, kind: type, optional, nullable, checked: checks.length > 0, mark: idMarks.get(schema) }
  const below = Object.entries(shape ?? {}).flatMap(([key, field]) => walk(field, [...path, key]))
  const first = element === undefined ? [] : walk(element, [...path, 0])
  return [self, ...below, ...first]
}

function definitionOf(schema: Schema): Definition {
  // The description of a schema depends on its kind; all fields used here are absent where they do not apply.
  return schema._zod.def as unknown as Definition
}

/** The value at a path, or undefined. */
export function valueAt(given: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => (isContainer(value) ? value[step] : undefined), given)
}

/** A copy with another value at a path; what is missing on the way is made. */
export function withValueAt(given: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return value
  if (Array.isArray(given) || typeof step === 'number') {
    const items: unknown[] = Array.isArray(given) ? [...given] : []
    items[Number(step)] = withValueAt(items[Number(step)], rest, value)
    return items
  }
  const fields = isContainer(given) ? given : {}
  return { ...fields, [step]: withValueAt(fields[step], rest, value) }
}

type Container = Record<string | number, unknown>

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}
