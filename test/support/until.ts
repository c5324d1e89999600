/**
 * Waits for something another process does: looks again and again until `look` answers, and fails with what it was
 * waiting for when that takes too long. For the real programs in end-to-end tests; our own code has a clock to move.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  deadlineMs = 20_000,
): Promise<T> {
  const endMs = performance.now() + deadlineMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > endMs) throw new Error(`waited ${deadlineMs} ms for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** Repeats a check until it holds; when that takes too long, throws its last failure. */
export async function eventually(check: () => Promise<void> | void, deadlineMs = 20_000): Promise<void> {
  let last: unknown
  const holds = async (): Promise<true | undefined> => {
    try {
      await check()
      return true
    } catch (thrown) {
      last = thrown
      return undefined
    }
  }
  await until('a check to hold', holds, deadlineMs).catch(() => {
    throw last
  })
}
