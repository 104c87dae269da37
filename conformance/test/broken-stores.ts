import { isHoldfastError, type JsonObject, type Scope, type Store } from '@holdfast/core'

/** A store with one wrong decision above an unbroken backend, and the sentence of the contract that it breaks. */
export interface BrokenStore {
  readonly mistake: string
  readonly rule: string
  breakIt(store: Store): Store
}

/** The same store with some methods of one repository replaced, in every scope. */
function withMethods<Repository extends 'sessions' | 'messages' | 'tags' | 'branches'>(
  store: Store,
  repository: Repository,
  replace: (original: Scope[Repository], scope: Scope) => Partial<Scope[Repository]>,
): Store {
  return delegating(store, {
    scope: (id: string) => {
      const scope = store.scope(id)
      const original = scope[repository]
      return delegating(scope, { [repository]: delegating(original, replace(original, scope)) })
    },
  })
}

/** An object with some properties of its own and all others of another one. */
function delegating<Target extends object>(target: Target, own: object): Target {
  return new Proxy(target, {
    get: (_, key) => {
      const source = key in own ? own : target
      const value: unknown = Reflect.get(source, key, source)
      return typeof value === 'function' ? value.bind(source) : value
    },
  })
}

function mergeDeeply(into: JsonObject, patch: JsonObject): JsonObject {
  const merged: Record<string, JsonObject[string]> = { ...into }
  for (const [key, value] of Object.entries(patch)) {
    const before = merged[key]
    merged[key] = isObject(before) && isObject(value) ? mergeDeeply(before, value) : value
  }
  return merged
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export const brokenStores: readonly BrokenStore[] = [
  {
    mistake: 'metadata is merged deeply',
    rule: 'a metadata patch merges at the top level',
    breakIt: (store) =>
      withMethods(store, 'sessions', (sessions) => ({
        update: async (id, patch, options) => {
          const { metadata } = await sessions.get(id)
          const merged = patch.metadata && { metadata: mergeDeeply(metadata, patch.metadata) }
          return sessions.update(id, { ...patch, ...merged }, options)
        },
      })),
  },
  {
    mistake: 'another input under a stored id returns what is stored',
    rule: 'a create under a stored id with another input is conflict',
    breakIt: (store) =>
      withMethods(store, 'sessions', (sessions) => ({
        create: (input, options) =>
          sessions.create(input, options).catch((error: unknown) => {
            if (isHoldfastError(error, 'conflict') && input?.id !== undefined) return sessions.get(input.id)
            throw error
          }),
      })),
  },
  {
    mistake: 'a terminal status is left without an override',
    rule: 'a terminal status changes only with an override, which the history records',
    breakIt: (store) =>
      withMethods(store, 'sessions', (sessions) => ({
        setStatus: (id, change, options) => sessions.setStatus(id, { ...change, override: true }, options),
      })),
  },
  {
    mistake: 'an agent titles what a user has titled',
    rule: 'a title by an agent never replaces a title by a user',
    breakIt: (store) =>
      withMethods(store, 'sessions', (sessions) => ({
        update: (id, { titledBy: _, ...patch }, options) => sessions.update(id, patch, options),
      })),
  },
  {
    mistake: 'a list begins with the oldest page',
    rule: 'a list gives the newest page, oldest first',
    breakIt: (store) =>
      withMethods(store, 'messages', (messages) => ({
        list: async (session, options = {}) => {
          let page = await messages.list(session, options)
          if (options.before !== undefined || options.after !== undefined) return page
          while (page.before !== null) page = await messages.list(session, { ...options, before: page.before })
          return page
        },
      })),
  },
  {
    mistake: 'a cursor that is not understood is ignored',
    rule: 'a damaged cursor is invalid everywhere',
    breakIt: (store) =>
      withMethods(store, 'sessions', (sessions) => ({
        list: async ({ cursor, ...options } = {}) =>
          sessions.list(cursor === undefined ? options : { ...options, cursor }).catch(() => sessions.list(options)),
      })),
  },
  {
    mistake: 'what cannot be stored is ignored instead of refused',
    rule: 'tags.add refuses arguments of the wrong kind and writes nothing',
    breakIt: (store) =>
      withMethods(store, 'tags', (tags) => ({
        add: (session, values, options) =>
          tags.add(session, Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [], options),
      })),
  },
  {
    mistake: 'an id that is missing answers null',
    rule: 'a session that is not there is not_found, never null',
    breakIt: (store) =>
      withMethods(store, 'sessions', (sessions) => ({
        // What a careless implementation would return, past its own type.
        get: (id, options) => sessions.get(id, options).catch(() => null as never),
      })),
  },
  {
    mistake: 'a regeneration forgets which branch it replaced',
    rule: 'regenerate ends before the message, ready for another answer',
    breakIt: (store) =>
      withMethods(store, 'branches', (branches, scope) => ({
        regenerate: async (session, message) => {
          const { before } = await scope.messages.list(session, { around: message, limit: 1 })
          const older = await scope.messages.list(session, before === null ? { limit: 1 } : { before, limit: 1 })
          return branches.create(session, { at: older.items.at(-1)?.id ?? null, activate: true })
        },
      })),
  },
]
