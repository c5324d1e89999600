/** So many requests at one time; others wait in order. */
import { FleetError } from '../base/errors.ts'

export class Places {
  readonly #max: number
  readonly #waitingMax: number
  #taken = 0
  readonly #waiting: (() => void)[] = []

  constructor(max: number, waitingMax: number) {
    this.#max = max
    this.#waitingMax = waitingMax
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /**
   * Resolves with the function that gives the place back. Rejects with `overloaded` when too many wait, and with the reason of
   * the signal when that is aborted first.
   */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#taken < this.#max) this.#taken++
    else await this.#wait(signal)
    let isGiven = false
    return () => {
      if (isGiven) return
      isGiven = true
      const next = this.#waiting.shift()
      if (next === undefined) this.#taken--
      else next()
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= this.#waitingMax) {
      throw new FleetError('overloaded', `${this.#waiting.length} requests already wait for the metrics store`, {
        hint: 'retry later; the metrics store answers too slowly',
      })
    }
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(start)
    })
  }
}
