import type { Store, StoreOptions } from '@holdfast/core'

/** What a backend brings so that the suite can test it. */
export interface Harness {
  /** The backend's name in test titles and in the report. */
  readonly name: string
  /** The URL of the module that exports this harness as `harness`, so that a child process can import it. */
  readonly module?: string
  /** Storage that holds nothing and that nobody else uses. */
  place(): Promise<Place>
  /** The same storage, seen from another process. */
  placeOf?(token: string): Place
}

/** Storage that can be opened, closed and opened again until it is removed. */
export interface Place {
  /** Names the storage to another process. */
  readonly token: string
  open(options?: StoreOptions): Promise<Store>
  remove(): Promise<void>
}
