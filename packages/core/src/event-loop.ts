/** How long work may keep everything else in the process from running. */
const longestTurnMs = 10

// Taken once, so that a host's tests that replace timers do not stop the store.
const { setImmediate } = globalThis as { setImmediate?: (run: () => void) => unknown }

/**
 * For work in many steps: called between them, it lets timers, sockets and everything else run once the work has had the
 * event loop to itself for a while. A backend in the process answers without leaving the turn, so awaiting it does not.
 *
 * @example
 * ```ts
 * const pause = createPause()
 * for (const rule of rules) {
 *   await check(rule)
 *   await pause()
 * }
 * ```
 */
export function createPause(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < longestTurnMs) return
    await nextTurn()
    since = performance.now()
  }
}

function nextTurn(): Promise<void> {
  if (setImmediate !== undefined) return new Promise((resolve) => setImmediate(resolve))
  if (typeof MessageChannel === 'undefined') return new Promise((resolve) => setTimeout(resolve, 0))
  // Browsers make timers wait, but not messages.
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
}
