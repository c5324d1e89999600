/** Lets the event loop run all other pending tasks once. */
export function nextMacrotask(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
