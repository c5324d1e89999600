/**
 * Short names for long keys: a resource is some 500 characters and stands before each of its metrics. Numbers are not
 * reused, so forgetting costs a new number and never mixes two resources up.
 */
export class StreamIds {
  readonly #ids = new Map<string, number>()
  #last = 0

  /** Resources, scopes and metrics that keep their number. */
  static readonly IDS_MAX = 200_000

  of(key: string): number {
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    if (this.#ids.size === StreamIds.IDS_MAX) this.#ids.clear()
    this.#ids.set(key, ++this.#last)
    return this.#last
  }
}
