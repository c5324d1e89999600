/**
 * Clusters that wait for work on what they sent, in the order in which they came, each with the moment up to which all of
 * it was worked in. The earliest of these moments says how far the whole fleet is, also where somebody always waits.
 */

interface Wait {
  /** What was received until then is worked in. -Infinity: nothing was yet, since the start. */
  readonly sinceMs: number
  /** It was tried, and failed. */
  readonly hasFailed: boolean
}

export class WaitingClusters<K> {
  readonly #waits = new Map<K, Wait>()

  get size(): number {
    return this.#waits.size
  }

  has(key: K): boolean {
    return this.#waits.has(key)
  }

  keys(): Iterable<K> {
    return this.#waits.keys()
  }

  /** Who waits already keeps its place, and the earlier moment. */
  add(key: K, sinceMs: number, hasFailed = false): void {
    const before = this.#waits.get(key)
    this.#waits.set(key, {
      sinceMs: Math.min(sinceMs, before?.sinceMs ?? Infinity),
      hasFailed: hasFailed || before?.hasFailed === true,
    })
  }

  /** Who waits longest. */
  next(): K | undefined {
    const [key] = this.#waits.keys()
    return key
  }

  /** Since when it waits; Infinity: it does not. */
  sinceMs(key: K): number {
    return this.#waits.get(key)?.sinceMs ?? Infinity
  }

  /** It waits no longer. Answers since when it did. */
  take(key: K): number {
    const sinceMs = this.sinceMs(key)
    this.#waits.delete(key)
    return sinceMs
  }

  /** What was received until then waits nowhere; Infinity: nobody waits. */
  get oldestMs(): number {
    let oldestMs = Infinity
    for (const { sinceMs } of this.#waits.values()) oldestMs = Math.min(oldestMs, sinceMs)
    return oldestMs
  }

  /** Somebody waits of whom nothing was worked in since the start, and it was not tried. */
  get hasUntried(): boolean {
    for (const { sinceMs, hasFailed } of this.#waits.values()) if (sinceMs === -Infinity && !hasFailed) return true
    return false
  }
}
