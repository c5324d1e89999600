/** Decides which faults to log: a persistent fault is not logged in every cycle, and not for every request. */
export class FaultThrottle {
  readonly #perMinute: number
  /** The faults of the last minute: since when, and how often each was admitted. */
  readonly #admitted = new Map<string, { readonly sinceMs: number; count: number }>()

  /** @param perMinute how often each fault is admitted in the minute after its first time */
  constructor(perMinute = 1) {
    this.#perMinute = perMinute
  }

  /** @param fault identifies the fault: its text, or a constant where all faults count as one; never a foreign text */
  admits(fault: string, nowMs: number): boolean {
    // The absolute difference also expires entries when the clock was set back.
    for (const [known, { sinceMs }] of this.#admitted) {
      if (Math.abs(nowMs - sinceMs) >= MINUTE_MS) this.#admitted.delete(known)
    }
    const known = this.#admitted.get(fault)
    if (known === undefined) this.#admitted.set(fault, { sinceMs: nowMs, count: 1 })
    else if (known.count >= this.#perMinute) return false
    else known.count++
    return true
  }
}

const MINUTE_MS = 60_000
