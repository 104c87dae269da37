import { describeConformance } from '@holdfast/conformance'
import { harness } from './harness-17.js'

describeConformance(harness)
