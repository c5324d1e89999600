import type { Delivery } from './delivery.ts'

/** Start times that are remembered: behind a load balancer several processes answer in turn. */
const STARTS_MAX = 16

/**
 * Finds restarts of the remote side: by a start time in its metrics that was not seen before; where these cannot be read, by a
 * request without an answer (refused, reset, timed out, or HTTP 502 of a proxy) that was followed by an accepted one.
 */
export class RestartWatch {
  count = 0
  #starts: readonly number[]
  #hasStart: boolean

  /** @param starts seen by earlier runs */
  constructor(starts: readonly number[]) {
    this.#starts = starts
    this.#hasStart = starts.length > 0
  }

  /** In seconds, oldest first. */
  get starts(): readonly number[] {
    return this.#starts
  }

  /** `unknown`: it cannot be reached now. */
  async compare(
    delivery: Pick<Delivery, 'remoteStart' | 'isSuspect' | 'isFailing'>,
  ): Promise<'same' | 'restarted' | 'unknown'> {
    const start = await delivery.remoteStart()
    if (start !== undefined) {
      const isFirst = !this.#hasStart && !delivery.isSuspect
      delivery.isSuspect = false
      if (this.#starts.includes(start)) return 'same'
      this.#hasStart = true
      this.#starts = [...this.#starts, start].slice(-STARTS_MAX)
      return isFirst ? 'same' : this.#restarted()
    }
    if (this.#hasStart || delivery.isFailing) return 'unknown'
    if (!delivery.isSuspect) return 'same'
    delivery.isSuspect = false
    return this.#restarted()
  }

  #restarted(): 'restarted' {
    this.count++
    return 'restarted'
  }
}
