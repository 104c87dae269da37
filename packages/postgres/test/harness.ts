import { harnessOn } from './support/places.js'

export const harness = harnessOn(18, import.meta.url)
