/**
 * Hands firing and resolved alerts to Alertmanagers (API v2), as Prometheus does: each of them gets every alert, once
 * a minute while it fires and for a while after it has resolved. It reads no clock: whoever calls says what time it is,
 * and calling `deliver` often is what makes retries happen. A slow or dead receiver holds up only itself.
 */
import type { DeliveryOutcome } from '../model/delivery.ts'
import { decideNotify, pickOnePerFingerprint } from './decide.ts'
import type { NotifyDecision, NotifyReason, Told } from './decide.ts'
import { DeliveryLog } from './delivery-log.ts'
import type { Delivery } from './delivery-log.ts'
import { publicUrl } from './http-post.ts'
import type { HttpPost, PostResult } from './http-post.ts'
import { postableAlert } from './notification.ts'
import type { NotifiableAlert, NotificationContext } from './notification.ts'
import { Outbox } from './outbox.ts'
import type { Waiting } from './outbox.ts'

export interface AlertmanagerOptions {
  /** Base addresses, like `http://alertmanager:9093`; `/api/v2/alerts` is added. */
  readonly urls: readonly string[]
  readonly post: HttpPost
  /** Under which people reach this server. */
  readonly externalUrl: string
  readonly externalLabels?: Readonly<Record<string, string>>
  /** How often a firing alert is repeated. */
  readonly resendDelayMs?: number
  readonly batchAlertsMax?: number
  /** The most alerts that wait for one receiver. */
  readonly queueAlertsMax?: number
  readonly timeoutMs?: number
}

export const NOTIFY_DEFAULTS = {
  resendDelayMs: 60_000,
  batchAlertsMax: 256,
  queueAlertsMax: 10_000,
  timeoutMs: 10_000,
} as const

/** Waiting time after the first failure, doubled by each further one. */
export const BACKOFF_FIRST_MS = 1000
export const BACKOFF_MAX_MS = 60_000
/** The most that a receiver's own `Retry-After` is believed. */
const RETRY_AFTER_MAX_MS = 600_000

export interface AlertmanagerNotifier {
  /** Looks at all alerts there are and queues what is news. One decision per alert, in the same order. */
  offer(alerts: readonly NotifiableAlert[], nowMs: number): AlertDecision[]
  /** Sends what is queued to the receivers that are neither busy nor waiting for a retry. Never rejects. */
  deliver(nowMs: number): Promise<readonly Delivery[]>
  /** The last attempts, oldest first. */
  deliveries(): readonly Delivery[]
  receivers(): ReceiverStatus[]
}

export interface AlertDecision extends NotifyDecision {
  readonly fingerprint: string
  /** Receivers that had no room for it; it is decided again next time. */
  readonly refusedBy: number
}

export interface ReceiverStatus {
  readonly url: string
  readonly waiting: number
  /** Alerts that found the queue full, since the start. */
  readonly refused: number
  /** Failures in a row. */
  readonly failures: number
  readonly nextAttemptMs: number
  readonly last?: Delivery
}

interface Receiver {
  readonly url: string
  readonly shownUrl: string
  readonly outbox: Outbox
  isBusy: boolean
  failures: number
  nextAttemptMs: number
  last: Delivery | undefined
}

export function createAlertmanagerNotifier(options: AlertmanagerOptions): AlertmanagerNotifier {
  return new Notifier(options)
}

class Notifier implements AlertmanagerNotifier {
  readonly #options: Required<AlertmanagerOptions>
  readonly #receivers: readonly Receiver[]
  readonly #log = new DeliveryLog()
  #told = new Map<string, Told>()

  constructor(options: AlertmanagerOptions) {
    const externalUrl = options.externalUrl.replace(/\/+$/, '')
    this.#options = { ...NOTIFY_DEFAULTS, externalLabels: {}, ...options, externalUrl }
    this.#receivers = [...new Set(options.urls)].map((base) => {
      const url = `${base.replace(/\/+$/, '')}/api/v2/alerts`
      const outbox = new Outbox(this.#options.queueAlertsMax)
      return { url, shownUrl: publicUrl(url), outbox, isBusy: false, failures: 0, nextAttemptMs: 0, last: undefined }
    })
  }

  offer(alerts: readonly NotifiableAlert[], nowMs: number): AlertDecision[] {
    const told = new Map<string, Told>()
    const picked = pickOnePerFingerprint(alerts)
    const decisions = alerts.map((alert): AlertDecision => {
      const { fingerprint, activeAtMs } = alert
      if (picked.get(fingerprint) !== alert) return { sends: false, reason: 'same_labels', fingerprint, refusedBy: 0 }
      const before = this.#told.get(fingerprint)
      const decision = decideNotify(alert, before, nowMs, this.#options.resendDelayMs)
      const refusedBy = decision.sends ? this.#queue(alert, decision.reason) : 0
      const isTaken = decision.sends && refusedBy === 0
      if (isTaken && alert.state !== 'pending')
        told.set(fingerprint, { toldAtMs: nowMs, state: alert.state, activeAtMs })
      else if (before !== undefined) told.set(fingerprint, before)
      return { ...decision, fingerprint, refusedBy }
    })
    // Alerts that are no longer offered are forgotten with this.
    this.#told = told
    return decisions
  }

  /** How many receivers had no room. */
  #queue(alert: NotifiableAlert, reason: NotifyReason): number {
    return this.#receivers.filter(({ outbox }) => !outbox.put({ alert, reason })).length
  }

  async deliver(nowMs: number): Promise<readonly Delivery[]> {
    const ready = this.#receivers.filter(({ isBusy, nextAttemptMs, outbox, last }) => {
      // Behind the last attempt the clock was set back; a time to wait for means nothing then.
      const isWaiting = nowMs < nextAttemptMs && nowMs >= (last?.atMs ?? 0)
      return !isBusy && !isWaiting && outbox.size > 0
    })
    return (await Promise.all(ready.map((receiver) => this.#drain(receiver, nowMs)))).flat()
  }

  deliveries(): readonly Delivery[] {
    return this.#log.list()
  }

  receivers(): ReceiverStatus[] {
    return this.#receivers.map(({ shownUrl, outbox, failures, nextAttemptMs, last }) => ({
      url: shownUrl,
      waiting: outbox.size,
      refused: outbox.refused,
      failures,
      nextAttemptMs,
      ...(last === undefined ? {} : { last }),
    }))
  }

  /** Batch after batch until the outbox is empty or the receiver fails. */
  async #drain(receiver: Receiver, nowMs: number): Promise<Delivery[]> {
    const deliveries: Delivery[] = []
    receiver.isBusy = true
    try {
      // What is put in meanwhile is for the next call: this one ends.
      let left = receiver.outbox.size
      while (left > 0) {
        const batch = receiver.outbox.peek(Math.min(left, this.#options.batchAlertsMax))
        if (batch.length === 0) break
        left -= batch.length
        const delivery = await this.#send(receiver, batch, nowMs)
        deliveries.push(delivery)
        if (delivery.outcome === 'failed') break
      }
    } finally {
      receiver.isBusy = false
    }
    return deliveries
  }

  async #send(receiver: Receiver, batch: readonly Waiting[], nowMs: number): Promise<Delivery> {
    const { externalUrl, externalLabels, resendDelayMs, timeoutMs, post } = this.#options
    const context: NotificationContext = { nowMs, externalUrl, externalLabels, resendDelayMs }
    const body = JSON.stringify(batch.map(({ alert }) => postableAlert(alert, context)))
    const headers = { 'content-type': 'application/json' }
    const result = await post({ url: receiver.url, body, headers, timeoutMs })
    const outcome = outcomeOf(result)
    const attempt = receiver.failures + 1
    if (outcome === 'failed') {
      receiver.failures++
      receiver.nextAttemptMs =
        nowMs + Math.max(backoffMs(receiver.failures), Math.min(result.retryAfterMs ?? 0, RETRY_AFTER_MAX_MS))
    } else {
      receiver.failures = 0
      receiver.nextAttemptMs = 0
      receiver.outbox.done(batch)
    }
    const delivery: Delivery = {
      atMs: nowMs,
      url: receiver.shownUrl,
      ...(result.status === undefined ? {} : { status: result.status }),
      outcome,
      latencyMs: result.latencyMs,
      count: batch.length,
      reasons: countReasons(batch),
      ...(outcome === 'delivered' ? {} : { error: result.text }),
      attempt,
      ...(outcome === 'failed' ? { retryAtMs: receiver.nextAttemptMs } : {}),
    }
    receiver.last = delivery
    this.#log.add(delivery)
    return delivery
  }
}

/** 4xx is for good, except when it says "later": Alertmanager keeps the good alerts of a batch it answers 400 to. */
function outcomeOf({ status }: PostResult): DeliveryOutcome {
  if (status === undefined || status === 408 || status === 429 || status >= 500) return 'failed'
  return status >= 200 && status < 300 ? 'delivered' : 'refused'
}

function backoffMs(failures: number): number {
  return Math.min(BACKOFF_FIRST_MS * 2 ** Math.min(failures - 1, 20), BACKOFF_MAX_MS)
}

function countReasons(batch: readonly Waiting[]): Partial<Record<NotifyReason, number>> {
  const counts: Partial<Record<NotifyReason, number>> = {}
  for (const { reason } of batch) counts[reason] = (counts[reason] ?? 0) + 1
  return counts
}
