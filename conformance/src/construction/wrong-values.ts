import type { Field } from './schema.js'

/** Objects with fields of no schema: a lenient check takes them for empty input. */
export const exoticObjects: readonly object[] = [new Date(0), new Map([['a', 1]]), new Error('e'), /x/]

const exotic: readonly unknown[] = [() => 1, Symbol('s'), 1n, Number.NaN]

const wrongByKind: Readonly<Record<string, readonly unknown[]>> = {
  string: [5, true, [], {}, ['text'], new Date(0), ...exotic],
  number: ['5', true, [], {}, -1, 1.5, Number.POSITIVE_INFINITY, 2 ** 53, ...exotic],
  boolean: ['true', 1, 0, {}, ...exotic],
  enum: ['nonsense', '__proto__', 'constructor', 'toString', '', 5, {}, ...exotic],
  literal: ['nonsense', '__proto__', 5, {}, ...exotic],
  array: ['text', 5, { 0: 'a', length: 1 }, new Set(['a']), ...exotic],
  object: ['text', 5, true, [], [{}], ...exotic],
  union: [5, {}, 'nonsense', [], ['nonsense'], ...exotic],
}

/** Texts that a column cannot hold. The last is longer than any column. */
const unstorable: readonly string[] = ['a\u0000b', '\ud800', 'x\udfff', 'x'.repeat(10_000)]

/** Texts that may be refused or kept, but must never do anything else. */
export const hostileTexts: readonly string[] = [
  "'; DROP TABLE sessions; --",
  "' OR '1'='1",
  '" OR ""="',
  '__proto__',
  'constructor',
  '%',
  '../../etc/passwd',
  '\u202e\u{1f600}\u0301\u2028',
  '$(exit 1)',
]

/** Values that must be refused wherever a field of this kind stands. */
export function wrongValuesFor(field: Field): readonly unknown[] {
  const wrong = [...(wrongByKind[field.kind] ?? [])]
  if (!field.nullable && field.kind !== 'custom') wrong.push(null)
  if (!field.optional) wrong.push(undefined)
  if (field.kind === 'string' && field.checked) wrong.push(...unstorable)
  // A field nobody declared, also one that reaches for the prototype.
  if (field.kind === 'object') wrong.push({ undeclared: 1 }, JSON.parse('{"__proto__":{"a":1}}'))
  return wrong
}
