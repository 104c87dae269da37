import type { Call } from '@holdfast/core'
import type { Report } from './findings.js'

/** Goes through the rows of a table and reports what must not be. */
export type Look = (report: Report, call: Call) => Promise<void>
