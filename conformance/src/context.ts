import type { Scope, Store, StoreOptions } from '@holdfast/core'
import { createFakeClock, createSeededIds, type FakeClock } from '@holdfast/core/testing'
import type { Behaviour } from './behaviour.js'
import type { Harness, Place } from './harness.js'

/** What a behaviour works with: a store that holds nothing, on a clock that stands. */
export interface Context {
  readonly harness: Harness
  readonly place: Place
  readonly store: Store
  readonly scope: Scope
  readonly clock: FakeClock
  /** Another store on the same storage. */
  open(options?: StoreOptions): Promise<Store>
  /** A store with options of its own, on storage of its own. */
  fresh(options: StoreOptions): Promise<Store>
}

/** Runs one behaviour on storage of its own, and removes the storage whatever happened. */
export async function carryOut(harness: Harness, behaviour: Pick<Behaviour, 'run'>): Promise<void> {
  const places: Place[] = []
  const stores: Store[] = []
  const clock = createFakeClock()
  const ids = createSeededIds(1, clock)

  async function newPlace(): Promise<Place> {
    const place = await harness.place()
    places.push(place)
    return place
  }
  async function openAt(place: Place, options: StoreOptions = {}): Promise<Store> {
    const store = await place.open({ clock, ids, ...options })
    stores.push(store)
    return store
  }

  try {
    const place = await newPlace()
    const store = await openAt(place)
    await behaviour.run({
      harness,
      place,
      store,
      scope: store.scope('workspace'),
      clock,
      open: (options) => openAt(place, options),
      fresh: async (options) => openAt(await newPlace(), options),
    })
  } finally {
    for (const store of stores) await store.close()
    for (const place of places) await place.remove()
  }
}
