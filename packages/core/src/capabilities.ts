import type { Limits } from './limits.js'

/** Facts about a backend. What is declared is tested by the conformance suite; what is not must fail with `unsupported`. */
export interface BackendCapabilities {
  /** The backend's name, such as `sqlite`. */
  readonly backend: string
  /** Whether acknowledged writes survive the end of the process. */
  readonly durable: boolean
  /** Who may use the same data at the same time: nobody else, other stores of the process, the machine, the network. */
  readonly sharing: 'none' | 'process' | 'machine' | 'network'
  /** Whether a store can refuse other processes while it is open. */
  readonly exclusiveLock: boolean
  /** Whether the database itself keeps scopes apart. */
  readonly rowLevelSecurity: boolean
}

export interface Capabilities extends BackendCapabilities {
  readonly limits: Limits
}
