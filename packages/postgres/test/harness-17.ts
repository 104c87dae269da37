import { harnessOn } from './support/places.js'

export const harness = harnessOn(17, import.meta.url)
