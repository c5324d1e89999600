/**
 * A bounded cache of recently used values: each time it is half full, values unused since the previous time are
 * evicted. An approximate LRU that costs one more lookup for aged values. Callers must be able to recompute every
 * value.
 */
export class TwoGenerations<T> {
  readonly #generationMax: number
  #young = new Map<string, T>()
  #old = new Map<string, T>()

  /** @param entriesMax the most entries; at least 2 */
  constructor(entriesMax: number) {
    this.#generationMax = Math.max(1, Math.floor(entriesMax / 2))
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  /** HOT. A lookup counts as use. */
  get(key: string): T | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old === undefined) return undefined
    this.#old.delete(key)
    this.set(key, old)
    return old
  }

  set(key: string, value: T): void {
    this.#young.set(key, value)
    if (this.#young.size < this.#generationMax) return
    this.#old = this.#young
    this.#young = new Map()
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }
}
