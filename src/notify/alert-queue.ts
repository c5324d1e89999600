/**
 * What is still to be handed over to one Alertmanager: the newest state of each alert, in the order in which they came. An
 * alert that changes while it waits is sent once, as it is then; so a receiver that was away for an hour gets no history.
 */
import type { NotifiableAlert } from './ports.ts'
import type { NotifyReason } from './notify-reason.ts'

export interface QueuedAlert {
  readonly alert: NotifiableAlert
  readonly reason: NotifyReason
}

export class AlertQueue {
  readonly #capacity: number
  readonly #queued = new Map<string, QueuedAlert>()

  /** @param capacity the most alerts it holds */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#queued.size
  }

  /** False when there is no room: the alert was not taken. */
  put({ alert, reason }: QueuedAlert): boolean {
    const before = this.#queued.get(alert.fingerprint)
    if (before === undefined && this.#queued.size >= this.#capacity) return false
    // What waits as `first` was never sent, however often it is repeated.
    const isFirst = before?.reason === 'first' && reason === 'repeat_due'
    this.#queued.set(alert.fingerprint, { alert, reason: isFirst ? 'first' : reason })
    return true
  }

  /** The oldest ones. They stay until `done`. */
  peek(count: number): readonly QueuedAlert[] {
    return [...this.#queued.values()].slice(0, count)
  }

  /** Takes out what was sent; an alert that has changed meanwhile stays. */
  done(batch: readonly QueuedAlert[]): void {
    for (const queued of batch) {
      const { fingerprint } = queued.alert
      if (this.#queued.get(fingerprint) === queued) this.#queued.delete(fingerprint)
    }
  }
}
