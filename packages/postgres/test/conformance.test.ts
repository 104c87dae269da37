import { describeConformance } from '@holdfast/conformance'
import { harness } from './harness.js'

describeConformance(harness)
