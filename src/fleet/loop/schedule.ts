/** Work that is due every so often. It is due at the first call, and again when the clock was set back. */
export class Schedule {
  #lastMs = -Infinity

  /** True at most once in `everyMs`. */
  isDue(everyMs: number, nowMs: number): boolean {
    if (Math.abs(nowMs - this.#lastMs) < everyMs) return false
    this.#lastMs = nowMs
    return true
  }

  /** Due at the next call. */
  reset(): void {
    this.#lastMs = -Infinity
  }
}
