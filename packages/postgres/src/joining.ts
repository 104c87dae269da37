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
  readonly resolve: (outcome: Promise<WriteOutcome>) => void
}

export interface JoinerOptions {
  /** How many commits may be under way at once. */
  readonly lanes: number
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
export function createJoiner({ lanes, commit }: JoinerOptions): (write: Write) => Promise<WriteOutcome> {
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

  return (write) =>
    new Promise((resolve) => {
      waiting.push({ write, resolve })
      start()
    })
}

/** A call that was aborted while it waited has not sent anything. */
function isWanted({ write, resolve }: Waiting): boolean {
  if (write.call.signal?.aborted !== true) return true
  resolve(Promise.reject(aborted()))
  return false
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
