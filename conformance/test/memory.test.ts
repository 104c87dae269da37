import { describeConformance } from '../src/index.js'
import { harness } from './memory-harness.js'

describeConformance(harness)
