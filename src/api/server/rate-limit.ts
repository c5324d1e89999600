/**
 * A token bucket per client. Bounded: when more clients than `clientsMax` are remembered, the one that was quiet the
 * longest is forgotten, and starts with a full bucket when it comes back.
 */
interface RateLimitOptions {
  readonly requestsPerSecond: number
  /** Requests that may come at once. */
  readonly burst: number
  readonly clientsMax: number
}

export class RateLimit {
  readonly #options: RateLimitOptions
  // A Map keeps its order: the quietest client first.
  readonly #buckets = new Map<string, { readonly tokens: number; readonly atMs: number }>()

  constructor(options: RateLimitOptions) {
    this.#options = options
  }

  /** Takes one request of `client`; answers 0, or the seconds after which the next one fits. */
  take(client: string, nowMs: number): number {
    const { requestsPerSecond, burst, clientsMax } = this.#options
    const bucket = this.#buckets.get(client) ?? { tokens: burst, atMs: nowMs }
    const elapsedMs = Math.max(0, nowMs - bucket.atMs)
    const tokens = Math.min(burst, bucket.tokens + (elapsedMs / 1000) * requestsPerSecond)
    const isAllowed = tokens >= 1
    this.#buckets.delete(client)
    this.#buckets.set(client, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs })
    if (this.#buckets.size > clientsMax) this.#forgetQuietest()
    return isAllowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / requestsPerSecond))
  }

  #forgetQuietest(): void {
    for (const client of this.#buckets.keys()) {
      this.#buckets.delete(client)
      return
    }
  }
}
