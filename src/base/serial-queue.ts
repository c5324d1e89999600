/** Runs one piece of work at a time, in the order of the calls. A failure does not stop the work after it. */
export function createSerialQueue(): <T>(work: () => T | Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}
