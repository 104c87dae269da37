import { type Call, HoldfastError } from '@holdfast/core'
import type { About, Step, WriteOutcome } from '@holdfast/sql'

/** A write on its way. */
export interface Write {
  readonly steps: readonly Step[]
  readonly about: About
  readonly call: Call
}

interface Waiting {
  readonly write: Write
  readonly since: number
  readonly resolve: (outcome: Promise<WriteOutcome>) => void
  /** Ends the interest in the call's signal. */
  readonly leave: () => void
}

export interface JoinerOptions {
  /** How many commits may be under way at once. */
  readonly lanes: number
  /** How long a write waits for its turn. */
  readonly waitMs: number
  readonly commit: (writes: readonly Write[]) => Commit
}

export interface Commit {
  /** One for each write. */
  readonly outcomes: readonly Promise<WriteOutcome>[]
  /** Whether all of them were carried out by one transaction. */
  readonly shared: Promise<boolean>
}

const mostTogether = 32

/**
 * While every lane is busy, writes wait, and those that wait are committed together: one round trip and one flush of the
 * server's log for all of them. A write that finds a lane free does not wait for company. One that is refused spoils the
 * commit for all, so where that happens fewer share one, until it goes well again.
 */
export function createJoiner({ lanes, waitMs, commit }: JoinerOptions): (write: Write) => Promise<WriteOutcome> {
  const waiting: Waiting[] = []
  let busy = 0
  let company = mostTogether

  function start(): void {
    while (busy < lanes && waiting.length > 0) {
      const together = waiting.splice(0, company).filter(isWanted)
      if (together.length === 0) continue
      // Everybody locks sessions in this order, so that nobody waits for somebody who waits for him.
      together.sort((left, right) => compare(left.write.about, right.write.about))
      const { outcomes, shared } = commit(together.map(({ write }) => write))
      busy++
      shared.then((went) => {
        company = went ? Math.min(mostTogether, company + 1) : Math.max(1, company >> 1)
      })
      Promise.allSettled(outcomes).then(() => {
        busy--
        start()
      })
      for (const [at, { resolve }] of together.entries()) resolve(outcomes[at] as Promise<WriteOutcome>)
    }
  }

  /** Whether there is still time. Without connections, one group after the other waits for one in vain. */
  function isWanted({ since, resolve, leave }: Waiting): boolean {
    leave()
    if (performance.now() - since <= waitMs) return true
    resolve(Promise.reject(tooLate()))
    return false
  }

  return (write) =>
    new Promise((resolve) => {
      const { signal } = write.call
      const leave = () => signal?.removeEventListener('abort', abort)
      const mine: Waiting = { write, since: performance.now(), resolve, leave }
      function abort(): void {
        leave()
        waiting.splice(waiting.indexOf(mine), 1)
        resolve(Promise.reject(aborted()))
      }
      signal?.addEventListener('abort', abort)
      waiting.push(mine)
      start()
    })
}

function tooLate(): HoldfastError {
  return new HoldfastError('busy', 'Other writes took all the time that the call could wait.', { entity: 'store' })
}

export function aborted(): HoldfastError {
  return new HoldfastError('aborted', 'The call was aborted before anything was sent.')
}

function compare(left: About, right: About): number {
  return order(left.scope ?? '', right.scope ?? '') || order(left.session ?? '', right.session ?? '')
}

function order(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
