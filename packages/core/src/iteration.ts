import { createPause } from './event-loop.js'

interface Step<Item, Place> {
  readonly items: readonly Item[]
  readonly next: Place | undefined
}

/**
 * Goes through items that are read in steps. Written by hand because an async generator costs more per item than it takes
 * to read one; like one, it answers calls in their order, also those made before the last one was answered.
 *
 * `ahead` reads a step while the one before it is used, which is worth it where reading is waiting for somebody else.
 */
export function steppedIterator<Item, Place>(
  step: (at: Place | undefined) => Promise<Step<Item, Place>>,
  ahead: boolean,
): AsyncIterableIterator<Item, undefined> {
  const pause = createPause()
  let items: readonly Item[] = []
  let taken = 0
  let next: Place | undefined
  let underWay: Promise<Step<Item, Place>> | undefined
  let begun = false
  let ended = false
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  /** After everybody who waits already. */
  function inTurn(answer: () => Promise<IteratorResult<Item, undefined>>): Promise<IteratorResult<Item, undefined>> {
    waiting++
    const mine = last.then(answer, answer).finally(() => {
      waiting--
    })
    last = mine
    return mine
  }

  async function advance(): Promise<IteratorResult<Item, undefined>> {
    while (taken === items.length) {
      if (ended) return { done: true, value: undefined }
      try {
        if (begun) await pause()
        begun = true
        const read = await (underWay ?? step(next))
        items = read.items
        next = read.next
        ended = next === undefined
        underWay = ahead && !ended ? step(next) : undefined
        // Whoever takes it is told; nobody may.
        underWay?.catch(() => undefined)
      } catch (error) {
        ended = true
        throw error
      }
      taken = 0
    }
    return { done: false, value: items[taken++] as Item }
  }

  return {
    next: () =>
      taken < items.length && waiting === 0
        ? Promise.resolve({ done: false, value: items[taken++] as Item })
        : inTurn(advance),
    return: () =>
      inTurn(async () => {
        items = []
        taken = 0
        ended = true
        return { done: true, value: undefined }
      }),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
