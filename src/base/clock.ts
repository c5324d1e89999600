/**
 * The only source of time. `app.ts` owns a `Clock`; every other folder and both worker threads get the time as an
 * argument (`nowMs`), so a test that controls the clock controls the time of the whole program.
 */
export interface Clock {
  /** Integer milliseconds since the epoch. */
  nowMs(): number
  /** Calls `run` once after `delayMs`; the returned function cancels the call. */
  after(delayMs: number, run: () => void): () => void
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    return () => {
      clearTimeout(timer)
    }
  },
}
