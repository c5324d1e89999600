/**
 * Idempotency keys of requests that were taken, so that a repeated one is answered and not taken again. Remembers the
 * last `keysMax` used; a sender repeats within seconds, so what was pushed out is not missed. In memory only.
 */
export class SeenKeys {
  readonly keysMax: number
  // A Map keeps its order: oldest use first.
  readonly #keys = new Map<string, true>()

  /** Keys above this length are not remembered, and their requests are taken each time. Stock SDKs use 20. */
  static readonly KEY_CHARS_MAX = 200

  /** @param keysMax the most keys it remembers; at least 1 */
  constructor(keysMax: number) {
    this.keysMax = keysMax
  }

  get size(): number {
    return this.#keys.size
  }

  /** Whether a request with this key was taken. Asking counts as use. */
  has(key: string): boolean {
    if (!this.#keys.delete(key)) return false
    this.#keys.set(key, true)
    return true
  }

  /** Notes the key of a request that was taken, after it was. */
  add(key: string): void {
    if (key === '' || key.length > SeenKeys.KEY_CHARS_MAX) return
    this.#keys.delete(key)
    this.#keys.set(key, true)
    if (this.#keys.size <= this.keysMax) return
    for (const oldest of this.#keys.keys()) {
      this.#keys.delete(oldest)
      return
    }
  }
}
