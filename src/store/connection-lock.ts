/**
 * Exclusive use of the writer's connection. Facts are written in transactions that await (Kysely); commits and flushes
 * are synchronous and must not run in the middle of one.
 */
export class ConnectionLock {
  #running: Promise<unknown> | undefined

  /** Runs `work` exclusively, after the work that already waits. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#running
    const mine = (async () => {
      await before?.catch(() => undefined)
      return work()
    })()
    this.#running = mine
    try {
      return await mine
    } finally {
      if (this.#running === mine) this.#running = undefined
    }
  }

  /** True when synchronous work may use the connection now. */
  get isFree(): boolean {
    return this.#running === undefined
  }

  /** Resolves when the present work ends; check `isFree` again. */
  async free(): Promise<void> {
    await this.#running?.catch(() => undefined)
  }
}
