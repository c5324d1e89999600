/**
 * What one receiver is still to be told: the newest state of each alert, in the order in which they came. An alert
 * that changes while it waits is told once, as it is then; so a receiver that was away for an hour gets no history.
 */
import type { NotifyReason } from './decide.ts'
import type { NotifiableAlert } from './notification.ts'

export interface Waiting {
  readonly alert: NotifiableAlert
  readonly reason: NotifyReason
}

export class Outbox {
  readonly capacity: number
  readonly #waiting = new Map<string, Waiting>()
  /** Alerts that found no room, since the start. */
  refused = 0

  /** @param capacity the most alerts it holds */
  constructor(capacity: number) {
    this.capacity = capacity
  }

  get size(): number {
    return this.#waiting.size
  }

  /** False when there is no room: the alert was not taken. */
  put(waiting: Waiting): boolean {
    const { fingerprint } = waiting.alert
    const before = this.#waiting.get(fingerprint)
    if (before === undefined && this.#waiting.size >= this.capacity) {
      this.refused++
      return false
    }
    // What waits as `first` was never told, however often it is repeated.
    const reason = before?.reason === 'first' && waiting.reason === 'resend_due' ? 'first' : waiting.reason
    this.#waiting.set(fingerprint, { alert: waiting.alert, reason })
    return true
  }

  /** The oldest ones. They stay until `done`. */
  peek(count: number): Waiting[] {
    const batch: Waiting[] = []
    for (const waiting of this.#waiting.values()) {
      if (batch.length === count) break
      batch.push(waiting)
    }
    return batch
  }

  /** Takes out what was sent; an alert that has changed meanwhile stays. */
  done(batch: readonly Waiting[]): void {
    for (const waiting of batch) {
      const { fingerprint } = waiting.alert
      if (this.#waiting.get(fingerprint) === waiting) this.#waiting.delete(fingerprint)
    }
  }
}
