/**
 * Writes batches one after the other while the next one is made: a commit takes as long as deriving its clusters, and either
 * would wait for the other. Under load a commit waits behind those of ingest, so a batch grows while the one before it is
 * written.
 */
export class WriteBehind<T> {
  readonly #write: (batch: readonly T[]) => Promise<void>
  readonly #size: number
  #isWriting = false
  #batch: T[] = []
  #underWay: Promise<void> = Promise.resolve()

  /**
   * @param size of a batch, which grows to `GROWS_TO` times as much
   * @param write is never called twice at the same time; not after a failure, until `flush` has thrown that
   */
  constructor(size: number, write: (batch: readonly T[]) => Promise<void>) {
    this.#size = size
    this.#write = write
  }

  /** Resolves when there is room for more: at most one batch waits for another. May throw the failure of an earlier batch. */
  async add(item: T): Promise<void> {
    this.#batch.push(item)
    const size = this.#isWriting ? this.#size * GROWS_TO : this.#size
    if (this.#batch.length >= size) await this.#begin()
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
    this.#isWriting = true
    this.#underWay = this.#write(this.take()).finally(() => {
      this.#isWriting = false
    })
    // Thrown by a later call.
    this.#underWay.catch(() => undefined)
  }
}

/** A commit holds up acknowledgements for as long as it takes, so a batch does not grow without end. */
export const GROWS_TO = 8
