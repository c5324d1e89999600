/**
 * Idempotency keys of accepted requests, so that a repeated request is acknowledged and not processed again. Holds the
 * `keysMax` most recently used keys; senders retry within seconds, so evicted keys are not missed. In memory only.
 */
export class SeenKeys {
  readonly keysMax: number
  // A Map is ordered: least recently used first.
  readonly #keys = new Map<string, true>()

  /** Longer keys are ignored, and their requests always processed. Stock SDKs use 20 characters. */
  static readonly KEY_CHARS_MAX = 200

  /** @param keysMax the most keys it remembers; at least 1 */
  constructor(keysMax: number) {
    this.keysMax = keysMax
  }

  get size(): number {
    return this.#keys.size
  }

  /** Whether a request with this key was accepted. A check counts as use. */
  has(key: string): boolean {
    if (!this.#keys.delete(key)) return false
    this.#keys.set(key, true)
    return true
  }

  /** Records the key of a request after it was accepted. */
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
