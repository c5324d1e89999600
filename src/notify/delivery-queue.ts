/**
 * Messages on their way to receivers: a failed one is tried again (after 1 s, doubled up to a minute, or when the receiver
 * asks for it) until it is delivered, refused, or so old that its group decides anew. Each attempt is reported. Time is an
 * argument: calling `run` often is what makes retries happen, and a slow receiver holds up only its own messages.
 */
import { groupBy } from '../base/group-by.ts'
import type { DeliveryRecord } from '../model/delivery.ts'
import type { Notification } from './pipeline-state.ts'
import { retryDelayMs, type Attempt } from './receivers/attempt.ts'

export interface DeliveryQueueParts {
  /** Never rejects for what a receiver does. */
  readonly send: (notification: Notification) => Promise<Attempt>
  /** After each attempt. */
  readonly onAttempt: (delivery: DeliveryRecord) => void
  /** Once for each notification that was delivered or given up. */
  readonly settle: (notification: Notification, isNotified: boolean) => Promise<void>
}

/** How an integration does, for pages. */
export interface IntegrationHealth {
  /** Messages that wait to be tried again, or are on their way. */
  readonly waiting: number
  readonly failuresInARow: number
  readonly lastDeliveredAtMs?: number
  readonly lastError?: string
}

interface Waiting {
  readonly notification: Notification
  attempts: number
  nextAttemptMs: number
  isSending: boolean
}

interface Health {
  failuresInARow: number
  lastDeliveredAtMs: number | undefined
  lastError: string | undefined
}

/** Messages on their way to one receiver's integration at once. */
const IN_FLIGHT_MAX = 8
/** Beginnings of a payload and of an answer that are stored. */
const PAYLOAD_CHARS_MAX = 16_384
const ANSWER_CHARS_MAX = 2000

export class DeliveryQueue {
  readonly #parts: DeliveryQueueParts
  readonly #waiting = new Set<Waiting>()
  /** How many messages are on their way to each integration. */
  readonly #lanes = new Map<string, number>()
  readonly #health = new Map<string, Health>()

  constructor(parts: DeliveryQueueParts) {
    this.#parts = parts
  }

  add(notifications: readonly Notification[], nowMs: number): void {
    for (const notification of notifications)
      this.#waiting.add({ notification, attempts: 0, nextAttemptMs: nowMs, isSending: false })
  }

  /** Those that wait are given up; those on their way arrive or not. For a change of the configuration. */
  async clear(): Promise<void> {
    const dropped = [...this.#waiting].filter(({ isSending }) => !isSending)
    for (const waiting of dropped) this.#waiting.delete(waiting)
    await Promise.all(dropped.map(({ notification }) => this.#parts.settle(notification, false)))
  }

  /** Tries what is due; resolves when all of it has an answer. May be called again meanwhile. */
  async run(nowMs: number): Promise<void> {
    const settled = this.#giveUp(nowMs)
    const due = [...this.#waiting].filter(({ isSending, nextAttemptMs }) => !isSending && nextAttemptMs <= nowMs)
    const lanes = [...groupBy(due, ({ notification }) => healthKeyOf(notification))].flatMap(([key, waiting]) => {
      const free = IN_FLIGHT_MAX - (this.#lanes.get(key) ?? 0)
      return Array.from({ length: Math.min(free, waiting.length) }, () => this.#lane(key, waiting, nowMs))
    })
    await Promise.all([...settled, ...lanes])
  }

  /** One message after the other, until none of these is left. */
  async #lane(key: string, due: Waiting[], nowMs: number): Promise<void> {
    this.#lanes.set(key, (this.#lanes.get(key) ?? 0) + 1)
    try {
      for (let waiting = due.shift(); waiting !== undefined; waiting = due.shift()) {
        // Another run may have taken it, or given it up.
        if (!waiting.isSending && this.#waiting.has(waiting)) await this.#attempt(waiting, nowMs)
      }
    } finally {
      this.#lanes.set(key, (this.#lanes.get(key) ?? 1) - 1)
    }
  }

  health(receiver: string, index: number): IntegrationHealth {
    const key = JSON.stringify([receiver, index])
    const found = this.#health.get(key)
    return {
      waiting: [...this.#waiting].filter(({ notification }) => healthKeyOf(notification) === key).length,
      failuresInARow: found?.failuresInARow ?? 0,
      ...(found?.lastDeliveredAtMs === undefined ? {} : { lastDeliveredAtMs: found.lastDeliveredAtMs }),
      ...(found?.lastError === undefined ? {} : { lastError: found.lastError }),
    }
  }

  #giveUp(nowMs: number): readonly Promise<void>[] {
    const old = [...this.#waiting].filter(
      ({ notification, isSending }) => !isSending && notification.expiresAtMs <= nowMs,
    )
    for (const waiting of old) this.#waiting.delete(waiting)
    return old.map(({ notification }) => this.#parts.settle(notification, false))
  }

  async #attempt(waiting: Waiting, nowMs: number): Promise<void> {
    const { notification } = waiting
    waiting.isSending = true
    waiting.attempts++
    const attempt = await this.#parts.send(notification)
    waiting.isSending = false
    this.#updateHealth(notification, attempt, nowMs)
    const isTriedAgain = attempt.outcome === 'failed'
    if (isTriedAgain) waiting.nextAttemptMs = nowMs + retryDelayMs(waiting.attempts, attempt.retryAfterMs)
    this.#parts.onAttempt(recordOf(waiting, attempt, nowMs))
    if (isTriedAgain) return
    this.#waiting.delete(waiting)
    await this.#parts.settle(notification, attempt.outcome === 'delivered')
  }

  #updateHealth(notification: Notification, { outcome, error }: Attempt, nowMs: number): void {
    const key = healthKeyOf(notification)
    const health = this.#health.get(key) ?? { failuresInARow: 0, lastDeliveredAtMs: undefined, lastError: undefined }
    this.#health.set(key, health)
    if (outcome === 'delivered') {
      health.failuresInARow = 0
      health.lastDeliveredAtMs = nowMs
      health.lastError = undefined
    } else {
      health.failuresInARow++
      health.lastError = error
    }
  }
}

function healthKeyOf({ receiver, index }: Notification): string {
  return JSON.stringify([receiver, index])
}

function recordOf({ notification, attempts, nextAttemptMs }: Waiting, attempt: Attempt, nowMs: number): DeliveryRecord {
  const { message, receiver, integration, reason } = notification
  const { outcome, target, payload, latencyMs, status, answer, error } = attempt
  return {
    atMs: nowMs,
    receiver,
    integration: integration.kind,
    target,
    groupKey: message.groupKey,
    alertnames: [...new Set(message.alerts.map(({ labels }) => labels.get('alertname')))].sort(),
    fingerprints: message.alerts.map(({ fingerprint }) => fingerprint),
    reason,
    outcome,
    attempt: attempts,
    latencyMs,
    payload: payload.slice(0, PAYLOAD_CHARS_MAX),
    ...(status === undefined ? {} : { status }),
    ...(answer === undefined ? {} : { answer: answer.slice(0, ANSWER_CHARS_MAX) }),
    ...(error === undefined ? {} : { error: error.slice(0, ANSWER_CHARS_MAX) }),
    ...(outcome === 'failed' ? { retryAtMs: nextAttemptMs } : {}),
  }
}
