/**
 * A queue of clusters with unprocessed input, first in first out, each with the moment up to which its input is processed.
 * The earliest of these moments is the progress of the whole fleet, also when the queue is never empty.
 */

interface Wait {
  /** Input received until then is processed. -Infinity: none was since the start. */
  readonly sinceMs: number
  /** Processing was tried and failed. */
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

  /** A cluster that is in the queue keeps its place and the earlier moment. */
  add(key: K, sinceMs: number, hasFailed = false): void {
    const before = this.#waits.get(key)
    this.#waits.set(key, {
      sinceMs: Math.min(sinceMs, before?.sinceMs ?? Infinity),
      hasFailed: hasFailed || before?.hasFailed === true,
    })
  }

  /** The first in the queue. */
  next(): K | undefined {
    const [key] = this.#waits.keys()
    return key
  }

  /** Since when it is in the queue; Infinity: it is not. */
  sinceMs(key: K): number {
    return this.#waits.get(key)?.sinceMs ?? Infinity
  }

  /** Removes it. Returns since when it was in the queue. */
  take(key: K): number {
    const sinceMs = this.sinceMs(key)
    this.#waits.delete(key)
    return sinceMs
  }

  /** All input received until then is processed; Infinity: the queue is empty. */
  get oldestMs(): number {
    let oldestMs = Infinity
    for (const { sinceMs } of this.#waits.values()) oldestMs = Math.min(oldestMs, sinceMs)
    return oldestMs
  }

  /** A cluster was not processed since the start, and processing it was not tried. */
  get hasUntried(): boolean {
    for (const { sinceMs, hasFailed } of this.#waits.values()) if (sinceMs === -Infinity && !hasFailed) return true
    return false
  }
}
