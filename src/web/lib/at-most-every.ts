/**
 * Work that is asked for more often than it should be done: done at once when it rested long enough, else when it has.
 * Pure but for the timer it is given.
 */
export interface AtMostEvery {
  ask(): void
  /** What waits is not done any more. */
  cancel(): void
}

/** @param after calls once after so long; the answer cancels it */
export function atMostEvery(
  everyMs: number,
  run: () => void,
  after: (delayMs: number, run: () => void) => () => void,
): AtMostEvery {
  let cancelRest: (() => void) | undefined
  let isAsked = false
  const work = (): void => {
    isAsked = false
    cancelRest = after(everyMs, () => {
      cancelRest = undefined
      if (isAsked) work()
    })
    run()
  }
  return {
    ask: () => {
      if (cancelRest === undefined) work()
      else isAsked = true
    },
    cancel: () => {
      cancelRest?.()
      cancelRest = undefined
      isAsked = false
    },
  }
}
