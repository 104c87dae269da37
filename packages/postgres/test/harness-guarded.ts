import { guardedHarnessOn } from './support/places.js'

export const harness = guardedHarnessOn(18, import.meta.url)
