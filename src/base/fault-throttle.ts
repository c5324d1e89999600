/** A persistent fault is logged again after this time, not in every cycle. */
const LOG_AGAIN_AFTER_MS = 60_000

/** Decides which faults to log: each one at most once a minute. */
export class FaultThrottle {
  /** The faults logged within the last minute. */
  readonly #loggedMs = new Map<string, number>()

  /** @param fault identifies the fault: its text, or a constant where all faults count as one */
  admits(fault: string, nowMs: number): boolean {
    // The absolute difference also expires entries when the clock was set back.
    for (const [known, loggedMs] of this.#loggedMs) {
      if (Math.abs(nowMs - loggedMs) >= LOG_AGAIN_AFTER_MS) this.#loggedMs.delete(known)
    }
    if (this.#loggedMs.has(fault)) return false
    this.#loggedMs.set(fault, nowMs)
    return true
  }
}
