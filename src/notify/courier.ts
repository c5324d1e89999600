/**
 * Takes messages to receivers, as often as it takes: a failed one waits (1 s, doubled up to a minute, or as long as the
 * receiver asks), until it is delivered, refused, or so old that its group decides anew. Each attempt is reported. Time is
 * an argument: calling `run` often is what makes retries happen, and a slow receiver holds up only its own messages.
 */
import type { DeliveryRecord } from '../model/delivery.ts'
import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS } from './alertmanager.ts'
import type { Notice } from './pipeline-core.ts'
import type { Attempt } from './receivers/attempt.ts'

export interface CourierParts {
  /** Never rejects for what a receiver does. */
  readonly send: (notice: Notice) => Promise<Attempt>
  /** After each attempt. */
  readonly note: (delivery: DeliveryRecord) => void
  /** Once for each notice that is told or given up. */
  readonly settle: (notice: Notice, isTold: boolean) => Promise<void>
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
  readonly notice: Notice
  attempts: number
  nextAttemptMs: number
  isSending: boolean
}

interface Health {
  failuresInARow: number
  lastDeliveredAtMs: number | undefined
  lastError: string | undefined
}

/** The most that a receiver's own `Retry-After` is believed. */
const RETRY_AFTER_MAX_MS = 600_000
/** Messages on their way to one receiver's integration at once. */
const IN_FLIGHT_MAX = 8
/** As much of a payload and an answer as is kept. */
const PAYLOAD_CHARS_MAX = 16_384
const ANSWER_CHARS_MAX = 2000

export class Courier {
  readonly #parts: CourierParts
  readonly #waiting = new Set<Waiting>()
  /** How many messages are on their way to each integration. */
  readonly #lanes = new Map<string, number>()
  readonly #health = new Map<string, Health>()

  constructor(parts: CourierParts) {
    this.#parts = parts
  }

  offer(notices: readonly Notice[], nowMs: number): void {
    for (const notice of notices) this.#waiting.add({ notice, attempts: 0, nextAttemptMs: nowMs, isSending: false })
  }

  /** Those that wait are given up; those on their way arrive or not. For a change of the configuration. */
  async clear(): Promise<void> {
    const dropped = [...this.#waiting].filter(({ isSending }) => !isSending)
    for (const waiting of dropped) this.#waiting.delete(waiting)
    await Promise.all(dropped.map(({ notice }) => this.#parts.settle(notice, false)))
  }

  /** Tries what is due; resolves when all of it has an answer. May be called again meanwhile. */
  async run(nowMs: number): Promise<void> {
    const settled = this.#giveUp(nowMs)
    const dueByKey = new Map<string, Waiting[]>()
    for (const waiting of this.#waiting) {
      if (waiting.isSending || waiting.nextAttemptMs > nowMs) continue
      const key = healthKeyOf(waiting.notice)
      const due = dueByKey.get(key)
      if (due === undefined) dueByKey.set(key, [waiting])
      else due.push(waiting)
    }
    const lanes = [...dueByKey].flatMap(([key, due]) => {
      const free = IN_FLIGHT_MAX - (this.#lanes.get(key) ?? 0)
      return Array.from({ length: Math.min(free, due.length) }, () => this.#lane(key, due, nowMs))
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
      waiting: [...this.#waiting].filter(({ notice }) => healthKeyOf(notice) === key).length,
      failuresInARow: found?.failuresInARow ?? 0,
      ...(found?.lastDeliveredAtMs === undefined ? {} : { lastDeliveredAtMs: found.lastDeliveredAtMs }),
      ...(found?.lastError === undefined ? {} : { lastError: found.lastError }),
    }
  }

  #giveUp(nowMs: number): readonly Promise<void>[] {
    const old = [...this.#waiting].filter(({ notice, isSending }) => !isSending && notice.expiresAtMs <= nowMs)
    for (const waiting of old) this.#waiting.delete(waiting)
    return old.map(({ notice }) => this.#parts.settle(notice, false))
  }

  async #attempt(waiting: Waiting, nowMs: number): Promise<void> {
    const { notice } = waiting
    waiting.isSending = true
    waiting.attempts++
    const attempt = await this.#parts.send(notice)
    waiting.isSending = false
    this.#noteHealth(notice, attempt, nowMs)
    const isTriedAgain = attempt.outcome === 'failed'
    if (isTriedAgain) waiting.nextAttemptMs = nowMs + waitMs(waiting.attempts, attempt)
    this.#parts.note(recordOf(waiting, attempt, nowMs))
    if (isTriedAgain) return
    this.#waiting.delete(waiting)
    await this.#parts.settle(notice, attempt.outcome === 'delivered')
  }

  #noteHealth(notice: Notice, { outcome, error }: Attempt, nowMs: number): void {
    const key = healthKeyOf(notice)
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

function healthKeyOf({ receiver, index }: Notice): string {
  return JSON.stringify([receiver, index])
}

function waitMs(attempts: number, { retryAfterMs }: Attempt): number {
  if (retryAfterMs !== undefined && retryAfterMs > 0) return Math.min(retryAfterMs, RETRY_AFTER_MAX_MS)
  return Math.min(BACKOFF_FIRST_MS * 2 ** Math.min(attempts - 1, 20), BACKOFF_MAX_MS)
}

function recordOf({ notice, attempts, nextAttemptMs }: Waiting, attempt: Attempt, nowMs: number): DeliveryRecord {
  const { message, receiver, integration, reason } = notice
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
