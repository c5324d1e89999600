/** The last attempts to tell somebody, newest last: the answer to "was anybody told?". */
import type { DeliveryOutcome } from '../model/delivery.ts'
import type { NotifyReason } from './decide.ts'

export const DELIVERIES_MAX = 1000

export interface Delivery {
  readonly atMs: number
  /** Without user and password. */
  readonly url: string
  /** HTTP status; absent when no answer came. */
  readonly status?: number
  readonly outcome: DeliveryOutcome
  readonly latencyMs: number
  /** Alerts in the message. */
  readonly count: number
  /** Why they were in it. */
  readonly reasons: Readonly<Partial<Record<NotifyReason, number>>>
  /** What the receiver said, or why it could not be asked; absent when all went well. */
  readonly error?: string
  /** 1 for the first try. */
  readonly attempt: number
  /** When it is tried again; absent when it is not. */
  readonly retryAtMs?: number
}

export class DeliveryLog {
  #deliveries: Delivery[] = []

  add(delivery: Delivery): void {
    this.#deliveries.push(delivery)
    // Trimmed in steps, so that a full log does not copy itself for each entry.
    if (this.#deliveries.length >= 2 * DELIVERIES_MAX) this.#deliveries = this.#deliveries.slice(-DELIVERIES_MAX)
  }

  /** At most `DELIVERIES_MAX`, oldest first. */
  list(): readonly Delivery[] {
    return this.#deliveries.slice(-DELIVERIES_MAX)
  }
}
