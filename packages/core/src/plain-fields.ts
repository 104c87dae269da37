import { z } from 'zod'
import { isPlainObject } from './json.js'

/** The path of the first object that is not a plain one, where fields are expected. */
export type FindExotic = (value: unknown) => string | undefined

/**
 * zod takes every object for fields: a Date or a Map would pass as an empty one and be stored as if nothing had been
 * said. This looks at the objects of a schema, and at nothing below them that is JSON.
 */
export function findExotic(schema: z.ZodType): FindExotic | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return findExotic(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodArray) return findInArray(schema.element as z.ZodType)
  if (schema instanceof z.ZodObject) return findInObject(schema.shape as Record<string, z.ZodType>)
  if (schema instanceof z.ZodDiscriminatedUnion) return findInObject({})
  return undefined
}

function findInArray(element: z.ZodType): FindExotic | undefined {
  const find = findExotic(element)
  if (find === undefined) return undefined
  return (value) => {
    if (!Array.isArray(value)) return undefined
    for (let at = 0; at < value.length; at++) {
      const found = find(value[at])
      if (found !== undefined) return `[${at}]${found}`
    }
    return undefined
  }
}

function findInObject(shape: Readonly<Record<string, z.ZodType>>): FindExotic {
  const below = Object.entries(shape).flatMap(([key, field]) => {
    const find = findExotic(field)
    return find === undefined ? [] : [{ key, find }]
  })
  return (value) => {
    if (typeof value !== 'object' || value === null) return undefined
    if (!isPlainObject(value)) return ''
    for (const { key, find } of below) {
      const found = find(value[key])
      if (found !== undefined) return `.${key}${found}`
    }
    return undefined
  }
}
