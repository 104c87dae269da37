interface Step<Item, Place> {
  readonly items: readonly Item[]
  readonly next: Place | undefined
}

/**
 * Goes through items that are read in steps. Written by hand because an async generator costs more per item than it takes
 * to read one.
 */
export function steppedIterator<Item, Place>(
  step: (at: Place | undefined) => Promise<Step<Item, Place>>,
): AsyncIterator<Item, undefined> {
  let items: readonly Item[] = []
  let taken = 0
  let next: Place | undefined
  let ended = false

  async function advance(): Promise<IteratorResult<Item, undefined>> {
    while (taken === items.length) {
      if (ended) return { done: true, value: undefined }
      try {
        const read = await step(next)
        items = read.items
        next = read.next
        ended = next === undefined
      } catch (error) {
        ended = true
        throw error
      }
      taken = 0
    }
    return { done: false, value: items[taken++] as Item }
  }

  return {
    next: () => (taken < items.length ? Promise.resolve({ done: false, value: items[taken++] as Item }) : advance()),
    return: async () => {
      items = []
      taken = 0
      ended = true
      return { done: true, value: undefined }
    },
  }
}
