import { describeConformance } from '@holdfast/conformance'
import { harness } from './harness-guarded.js'

describeConformance(harness)
