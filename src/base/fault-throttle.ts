/** A fault that stays is logged again after this time, not in each cycle that meets it. */
const LOG_AGAIN_AFTER_MS = 60_000

/** Which faults to log: each one at most once a minute. */
export class FaultThrottle {
  /** By fault; those of the last minute. */
  readonly #loggedMs = new Map<string, number>()

  /** @param fault what makes two faults the same: its text, or nothing where one kind is logged */
  admits(fault: string, nowMs: number): boolean {
    // A clock that was set back begins anew.
    for (const [known, loggedMs] of this.#loggedMs) {
      if (Math.abs(nowMs - loggedMs) >= LOG_AGAIN_AFTER_MS) this.#loggedMs.delete(known)
    }
    if (this.#loggedMs.has(fault)) return false
    this.#loggedMs.set(fault, nowMs)
    return true
  }
}
