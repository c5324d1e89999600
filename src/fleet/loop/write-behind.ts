/**
 * Writes batches one after the other while the next one is made: a commit takes as long as deriving its clusters, and either
 * would wait for the other.
 */
export class WriteBehind<T> {
  readonly #write: (batch: readonly T[]) => Promise<void>
  readonly #size: number
  #batch: T[] = []
  #underWay: Promise<void> = Promise.resolve()

  /** @param write is never called twice at the same time; not after a failure, until `flush` has thrown that */
  constructor(size: number, write: (batch: readonly T[]) => Promise<void>) {
    this.#size = size
    this.#write = write
  }

  /** Resolves when there is room for more: at most one batch waits for another. Throws the failure of an earlier batch. */
  async add(item: T): Promise<void> {
    this.#batch.push(item)
    if (this.#batch.length >= this.#size) await this.#begin()
  }

  /** Writes the last batch, also when it is empty. Throws the failure of a batch. */
  async flush(): Promise<void> {
    await this.#begin()
    await this.#underWay
  }

  /** What was added and not given to `write`. */
  take(): readonly T[] {
    return this.#batch.splice(0)
  }

  async #begin(): Promise<void> {
    await this.#underWay
    this.#underWay = this.#write(this.take())
    // Thrown by the next call.
    this.#underWay.catch(() => undefined)
  }
}
