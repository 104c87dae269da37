import {
  type Compilable,
  type CompiledQuery,
  DeleteQueryNode,
  type Expression,
  InsertQueryNode,
  type Kysely,
  SelectQueryNode,
  sql,
  UpdateQueryNode,
} from 'kysely'
import type { Found, Query, SqlValue, Statement } from './executor.js'
import type { Database } from './schema/tables.js'
import type { SqlTraits } from './traits.js'

// A query is written once with Kysely and compiled once. Where a value will stand it holds a slot: an object that passes
// through the compiler as if it were the value and says how to read it from the input of a call.

/** A statement that knows how to take its values from an input. */
export interface Compiled<Input> extends Statement {
  readonly name: string
  readonly slots: readonly ((input: Input) => SqlValue | Found)[]
  /** Whether any of its places is for what an earlier step finds. */
  readonly late: boolean
}

/** Every input names its scope: by its key, or by its id where statements find the key themselves. */
export interface Scoped {
  readonly scope: number | string
}

/** What a query across scopes is written with. */
export interface WritingAcross<Input> {
  readonly db: Kysely<Database>
  /** A place for a property of the input. To Kysely it is the value that will stand there. */
  slot<Name extends keyof Input>(name: Name): Input[Name]
  /** A place for a value that follows from the input. */
  computed<Value extends SqlValue>(read: (input: Input) => Value): Value
}

/** What a query is written with. */
export interface Writing<Input> extends WritingAcross<Input> {
  /** The key of the scope that the input names. */
  readonly scope: Expression<number>
  /** Whether what earlier steps found may stand in it. */
  readonly chained: boolean
  /** A place for what an earlier step finds. */
  late<Name extends keyof Input>(name: Name): number
}

export interface Compiler {
  readonly traits: SqlTraits
  /** Whether statements take what earlier ones found. */
  readonly chained: boolean
  compile<Input extends Scoped>(name: string, write: (writing: Writing<Input>) => Compilable): Compiled<Input>
  /** For administration: the only statements that need not keep to one scope. */
  compileAcross<Input>(name: string, write: (writing: WritingAcross<Input>) => Compilable): Compiled<Input>
}

/** How statements find what they are about. */
export interface Form {
  /** The key of the scope is known, or found by its id. */
  readonly scope: 'by key' | 'by id'
  /** Other keys are taken from earlier statements, or looked up again by their ids. */
  readonly chained: boolean
}

class Slot {
  constructor(
    readonly read: (input: never) => SqlValue | Found,
    readonly late: boolean,
  ) {}
}

/** `seen` gets every statement, so that all of them can be looked over; none of them is one that others have, too. */
export function createCompiler(
  traits: SqlTraits,
  { scope: scopeForm, chained }: Form,
  seen?: (statement: Compiled<never>) => void,
): Compiler {
  const db = traits.compiler

  // Kysely looks at a value only to carry it into the parameters, so a slot may stand where its value will.
  const place = <Value>(read: (input: never) => SqlValue | Found, isLate: boolean): Value =>
    new Slot(read, isLate) as unknown as Value
  const computed = <Value>(read: (input: never) => SqlValue): Value => place(read, false)
  const late = <Input, Name extends keyof Input>(name: Name): number =>
    place((input: Record<Name, Found>) => input[name], true)
  const slot = <Input, Name extends keyof Input>(name: Name): Input[Name] =>
    computed((input: Record<Name, SqlValue>) => input[name])
  const scope =
    scopeForm === 'by id'
      ? scopeKey(
          db,
          computed((input: Scoped) => input.scope),
        )
      : sql<number>`${computed((input: Scoped) => input.scope)}`

  const known = seen === undefined ? statementsOf(traits) : undefined
  function declare<Input>(name: string, write: () => Compilable): Compiled<Input> {
    const declared = () => new LazyStatement<Input>(name, write)
    // A name stands for one query of one form, so whoever declared it first wrote it for the same input.
    if (known !== undefined) return known(`${scopeForm}, ${chained}: ${name}`, declared) as Compiled<Input>
    const statement = declared()
    seen?.(statement)
    return statement
  }

  return {
    traits,
    chained,
    compile: (name, write) => declare(name, () => write({ db, scope, slot, computed, chained, late })),
    compileAcross: (name, write) => declare(name, () => write({ db, slot, computed })),
  }
}

type Known = (key: string, declared: () => Compiled<never>) => Compiled<never>

const statementsKept = 1_000
const knownFor = new WeakMap<SqlTraits, Known>()

/**
 * The statements of a dialect, shared by all backends on it: a store that lives for one transaction of the caller's must not
 * compile anything again. Those that nobody has asked for in the longest time are given up first.
 */
function statementsOf(traits: SqlTraits): Known {
  let known = knownFor.get(traits)
  if (known === undefined) {
    const kept = new Map<string, Compiled<never>>()
    known = (key, declared) => {
      const statement = kept.get(key) ?? declared()
      kept.delete(key)
      kept.set(key, statement)
      if (kept.size > statementsKept) kept.delete(kept.keys().next().value ?? key)
      return statement
    }
    knownFor.set(traits, known)
  }
  return known
}

/** Compiles when it is first needed: a store has far more statements than one process uses, and opening waits for none. */
class LazyStatement<Input> implements Compiled<Input> {
  readonly name: string
  #write: (() => Compilable) | undefined
  #text = ''
  #returns = false
  #slots: readonly ((input: Input) => SqlValue | Found)[] = []
  #late = false

  constructor(name: string, write: () => Compilable) {
    this.name = name
    this.#write = write
  }

  get text(): string {
    if (this.#write !== undefined) this.#compile(this.#write)
    return this.#text
  }

  get returns(): boolean {
    if (this.#write !== undefined) this.#compile(this.#write)
    return this.#returns
  }

  get slots(): readonly ((input: Input) => SqlValue | Found)[] {
    if (this.#write !== undefined) this.#compile(this.#write)
    return this.#slots
  }

  get late(): boolean {
    if (this.#write !== undefined) this.#compile(this.#write)
    return this.#late
  }

  #compile(write: () => Compilable): void {
    const query = write().compile()
    this.#text = query.sql
    this.#returns = answersWithRows(query)
    // Whoever wrote the query took every slot for this input, so each reads from it.
    this.#slots = query.parameters.map(readerOf) as ((input: Input) => SqlValue | Found)[]
    this.#late = query.parameters.some((parameter) => parameter instanceof Slot && parameter.late)
    // It may hold on to the input of the call that needed the statement first.
    this.#write = undefined
  }
}

/** The key of the live scope with an id. */
function scopeKey(db: Kysely<Database>, id: string): Expression<number> {
  return sql<number>`${db.selectFrom('holdfast_scopes').select('key').where('id', '=', id)}`
}

function readerOf(parameter: unknown): (input: never) => SqlValue | Found {
  if (parameter instanceof Slot) return parameter.read
  if (typeof parameter === 'string' || typeof parameter === 'number' || parameter === null) return () => parameter
  throw new TypeError('A statement holds a value that no database takes.')
}

function answersWithRows({ query }: CompiledQuery): boolean {
  if (SelectQueryNode.is(query)) return true
  if (InsertQueryNode.is(query) || UpdateQueryNode.is(query) || DeleteQueryNode.is(query)) {
    return query.returning !== undefined
  }
  return false
}

/** The values of one call, in the order of the statement's places. */
function valuesOf<Input>(statement: Compiled<Input>, input: Input): (SqlValue | Found)[] {
  const { slots } = statement
  const values = new Array<SqlValue | Found>(slots.length)
  for (let at = 0; at < slots.length; at++) {
    // The index is below the length.
    values[at] = (slots[at] as (input: Input) => SqlValue | Found)(input)
  }
  return values
}

export function bind<Input>(statement: Compiled<Input>, input: Input): Query {
  return { statement, values: valuesOf(statement, input), late: statement.late }
}

const formsKept = 256

/**
 * Statements whose text depends on what is asked, each compiled when it is first needed. Only the latest are kept: there
 * are more combinations of filters than anybody uses.
 */
export function compiledWhenNeeded<Input>(compileFor: (form: string, example: Input) => Compiled<Input>) {
  const kept = new Map<string, Compiled<Input>>()
  return (form: string, input: Input): Compiled<Input> => {
    const found = kept.get(form)
    if (found !== undefined) return found
    const compiled = compileFor(form, input)
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size >= formsKept) kept.delete(oldest)
    kept.set(form, compiled)
    return compiled
  }
}
