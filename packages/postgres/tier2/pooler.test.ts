import { describeConformance } from '@holdfast/conformance'
import { harness } from './harness-pooled.js'

describeConformance(harness)
