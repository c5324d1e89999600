/**
 * Messages to receivers. A failed message is retried (after 1 s, doubled up to a minute, or after the receiver's
 * `Retry-After`) until it is delivered, refused or expired; its group then decides anew. Each attempt is reported. Time is an
 * argument; each call of `run` retries what is due, and a slow receiver delays only its own messages.
 */
import { groupBy } from '../base/group-by.ts'
import type { DeliveryRecord } from '../model/delivery.ts'
import type { NotificationClaim } from '../model/notification-log.ts'
import type { Notification } from './pipeline-state.ts'
import { retryDelayMs, type Attempt } from './receivers/attempt.ts'

export interface DeliveryQueueParts {
  /** Before each attempt, where several processes notify: whether this one may send it. Absent: it is the only one. */
  readonly claim?: ((notification: Notification) => Promise<NotificationClaim>) | undefined
  /** After an attempt that failed: another process may make the next one. Never rejects. */
  readonly release?: ((notification: Notification) => Promise<void>) | undefined
  /** Never rejects because of a receiver. */
  readonly send: (notification: Notification) => Promise<Attempt>
  /** After each attempt. */
  readonly onAttempt: (delivery: DeliveryRecord) => void
  /** Once for each notification that was delivered or dropped. */
  readonly settle: (notification: Notification, isNotified: boolean) => Promise<void>
}

/** Between two looks at what another process is sending. */
const CLAIM_AGAIN_MS = 1000

/** The health of an integration, for pages. */
export interface IntegrationHealth {
  /** Messages that wait for a retry, or are being sent. */
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

/** Maximum number of messages that are sent to one integration at a time. */
const IN_FLIGHT_MAX = 8
/** Stored characters of a payload and of a response. */
const PAYLOAD_CHARS_MAX = 16_384
const ANSWER_CHARS_MAX = 2000

export class DeliveryQueue {
  readonly #parts: DeliveryQueueParts
  readonly #waiting = new Set<Waiting>()
  /** Number of messages that are being sent to each integration. */
  readonly #lanes = new Map<string, number>()
  readonly #health = new Map<string, Health>()

  constructor(parts: DeliveryQueueParts) {
    this.#parts = parts
  }

  add(notifications: readonly Notification[], nowMs: number): void {
    for (const notification of notifications)
      this.#waiting.add({ notification, attempts: 0, nextAttemptMs: nowMs, isSending: false })
  }

  /** Drops the waiting messages, but not those that are being sent. For a change of the configuration. */
  async clear(): Promise<void> {
    const dropped = [...this.#waiting].filter(({ isSending }) => !isSending)
    for (const waiting of dropped) this.#waiting.delete(waiting)
    await Promise.all(dropped.map(({ notification }) => this.#parts.settle(notification, false)))
  }

  /** Sends what is due; resolves when every message has a response. May be called again in the meantime. */
  async run(nowMs: number): Promise<void> {
    const settled = this.#giveUp(nowMs)
    const due = [...this.#waiting].filter(({ isSending, nextAttemptMs }) => !isSending && nextAttemptMs <= nowMs)
    const lanes = [...groupBy(due, ({ notification }) => healthKeyOf(notification))].flatMap(([key, waiting]) => {
      const free = IN_FLIGHT_MAX - (this.#lanes.get(key) ?? 0)
      return Array.from({ length: Math.min(free, waiting.length) }, () => this.#lane(key, waiting, nowMs))
    })
    await Promise.all([...settled, ...lanes])
  }

  /** Sends one message after the other until none is left. */
  async #lane(key: string, due: Waiting[], nowMs: number): Promise<void> {
    this.#lanes.set(key, (this.#lanes.get(key) ?? 0) + 1)
    try {
      for (let waiting = due.shift(); waiting !== undefined; waiting = due.shift()) {
        // Another run may have taken or dropped it.
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
    const claim = (await this.#parts.claim?.(notification))?.kind ?? 'claimed'
    if (claim !== 'claimed') {
      waiting.isSending = false
      waiting.nextAttemptMs = nowMs + CLAIM_AGAIN_MS
      if (claim === 'busy' || !this.#waiting.delete(waiting)) return
      await this.#parts.settle(notification, false)
      return
    }
    waiting.attempts++
    const attempt = await this.#parts.send(notification)
    if (attempt.outcome === 'failed') await this.#parts.release?.(notification)
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
