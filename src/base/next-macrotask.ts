/** Lets the event loop run everything else that waits, once. */
export function nextMacrotask(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
