/**
 * The one place where time comes from. `app.ts` owns a `Clock`; every other folder and both worker threads
 * get the time as an argument (`nowMs`), so a test that owns the clock owns the time of the whole program.
 */
export interface Clock {
  /** Integer milliseconds since the epoch. */
  nowMs(): number
  /** Calls `run` once after `delayMs`; the answer cancels it. */
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
