import { describeConformance } from '@holdfast/conformance'
import { harness, memoryHarness } from './harness.js'

describeConformance(harness)
describeConformance(memoryHarness)
