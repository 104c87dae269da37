/** The rejections that nobody handled while an action ran. A process dies of them, so a library must leave none. */
export async function unhandledDuring(action: () => Promise<unknown>): Promise<readonly unknown[]> {
  const unhandled: unknown[] = []
  const listen = (reason: unknown) => unhandled.push(reason)
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', listen)
  try {
    await action()
    // Node reports them after the microtasks of the turn in which they were rejected.
    await new Promise((resolve) => setImmediate(resolve))
  } finally {
    process.off('unhandledRejection', listen)
    for (const other of others) process.on('unhandledRejection', other)
  }
  return unhandled
}
