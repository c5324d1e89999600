/**
 * A token bucket per client. Bounded: above `clientsMax` clients, the least recently seen one is dropped, and starts
 * with a full bucket when it returns.
 */
interface RateLimitOptions {
  readonly requestsPerSecond: number
  /** Requests that may come at once. */
  readonly burst: number
  readonly clientsMax: number
}

export class RateLimit {
  readonly #options: RateLimitOptions
  // In order of insertion: the least recently seen client first.
  readonly #buckets = new Map<string, { readonly tokens: number; readonly atMs: number }>()

  constructor(options: RateLimitOptions) {
    this.#options = options
  }

  /** Counts one request of `client`; returns 0, or the seconds after which the next request is allowed. */
  take(client: string, nowMs: number): number {
    const { requestsPerSecond, burst, clientsMax } = this.#options
    const bucket = this.#buckets.get(client) ?? { tokens: burst, atMs: nowMs }
    const elapsedMs = Math.max(0, nowMs - bucket.atMs)
    const tokens = Math.min(burst, bucket.tokens + (elapsedMs / 1000) * requestsPerSecond)
    const isAllowed = tokens >= 1
    this.#buckets.delete(client)
    this.#buckets.set(client, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs })
    if (this.#buckets.size > clientsMax) this.#buckets.delete(this.#buckets.keys().next().value!)
    return isAllowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / requestsPerSecond))
  }
}
