/**
 * Whose turn it is on the writer's connection. Facts are written in transactions that await (Kysely); commits and
 * flushes are synchronous and must not fall into the middle of one.
 */
export class Turns {
  #running: Promise<unknown> | undefined

  /** Runs `work` alone; after the ones before it. */
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

  /** Resolves when a turn ends; look at `isFree` again. */
  async free(): Promise<void> {
    await this.#running?.catch(() => undefined)
  }
}

/** Lets everything else that is waiting run once. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
