/**
 * The memory that the running queries of requests may hold together. A query counts with what it has created so far,
 * which is more than what it still holds. Beyond the limit the largest query ends, so that a large one does not fail the
 * small ones beside it.
 */
export interface PoolUser {
  /** The query ends at its next check, for this reason. */
  evict(reason: string): void
}

export class MemoryPool {
  readonly #bytesMax: number
  readonly #users = new Map<PoolUser, number>()
  #bytes = 0

  /** @param bytesMax inclusive */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Call before `user` creates that much. */
  grow(user: PoolUser, bytes: number): void {
    this.#users.set(user, (this.#users.get(user) ?? 0) + bytes)
    this.#bytes += bytes
    if (this.#bytes <= this.#bytesMax) return
    const [[largest, most]] = [...this.#users].sort(([, a], [, b]) => b - a) as [[PoolUser, number]]
    const reason = `the running queries need ${this.#bytes} bytes together, ${most} of them for this one: limit is ${this.#bytesMax} (query.memory-bytes-max)`
    this.release(largest)
    largest.evict(reason)
  }

  /** Call when the query has ended. */
  release(user: PoolUser): void {
    this.#bytes -= this.#users.get(user) ?? 0
    this.#users.delete(user)
  }
}
