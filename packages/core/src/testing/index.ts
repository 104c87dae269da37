export { createFakeClock, type FakeClock } from './clock.js'
export { type Fault, type FaultPoint, InjectedFault, withFaults } from './faults.js'
export { createSeededIds } from './ids.js'
export { createRandom } from './random.js'
