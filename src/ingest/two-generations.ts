/**
 * A bounded memory of what was used lately: when half of the room is filled, what was not used since the last time that
 * happened goes. An approximate LRU at the price of one more look-up for what has aged. Nothing here may be lost for
 * good: whoever asks can make it anew.
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

  /** HOT. Asking counts as use. */
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
