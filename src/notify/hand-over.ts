/**
 * Hands firing and resolved alerts over to Alertmanagers, as Prometheus does: each of them gets every alert, once a minute
 * while it fires and for a while after it has resolved. It reads no clock: time is an argument, and calling `deliver` often
 * is what makes retries happen. A slow or dead receiver holds up only itself.
 */
import type { DeliveryOutcome } from '../model/delivery.ts'
import { AlertQueue, type QueuedAlert } from './alert-queue.ts'
import { HTTP_DEFAULTS } from './config/http-config.ts'
import { onePerFingerprint } from './dispatch.ts'
import type { NotifiableAlert } from './ports.ts'
import { decideHandOver, type HandedOver, type HandOverDecision } from './hand-over-decision.ts'
import type { HttpClient } from './http-client.ts'
import { generatorUrl } from './message.ts'
import type { NotifyReason } from './notify-reason.ts'
import { REPEATS_UNTIL_END, postableAlert, postAlerts, type PostableAlert } from './receivers/alertmanager.ts'
import { retryDelayMs } from './receivers/attempt.ts'

export interface HandOverOptions {
  /** Base addresses, like `http://alertmanager:9093`; a user and a password in one are sent as basic authentication. */
  readonly urls: readonly string[]
  readonly http: HttpClient
  /** Under which users reach this server, without a slash at the end. */
  readonly externalUrl: string
  /** How often a firing alert is repeated. */
  readonly resendDelayMs?: number
  readonly batchAlertsMax?: number
  /** The most alerts that wait for one receiver. */
  readonly queueAlertsMax?: number
  readonly timeoutMs?: number
}

const DEFAULTS = { resendDelayMs: 60_000, batchAlertsMax: 256, queueAlertsMax: 10_000, timeoutMs: 10_000 } as const

/** A redirect would repeat the alerts, or ask for them, somewhere that nobody configured. */
const HTTP = { ...HTTP_DEFAULTS, followRedirects: false }

export interface AlertDecision extends HandOverDecision {
  readonly fingerprint: string
  /** Receivers that had no room for it; it is decided again next time. */
  readonly refusedBy: number
}

/** One attempt to deliver a batch. */
export interface HandOverAttempt {
  /** Without user and password. */
  readonly url: string
  /** HTTP status; absent when no answer came. */
  readonly status?: number
  readonly outcome: DeliveryOutcome
  /** What the receiver said, or why it gave no answer; absent when it took the alerts. */
  readonly error?: string
  /** Alerts in the batch, and why they are in it. */
  readonly count: number
  readonly reasons: Readonly<Partial<Record<NotifyReason, number>>>
  /** 1 for the first try. */
  readonly attempt: number
  /** When it is tried again; absent when it is not. */
  readonly retryAtMs?: number
}

interface Receiver {
  readonly url: string
  readonly shownUrl: string
  readonly queue: AlertQueue
  isBusy: boolean
  /** In a row. */
  failures: number
  lastAttemptMs: number
  nextAttemptMs: number
}

export class HandOver {
  readonly #options: Required<HandOverOptions>
  readonly #receivers: readonly Receiver[]
  #last = new Map<string, HandedOver>()

  constructor(options: HandOverOptions) {
    this.#options = { ...DEFAULTS, ...options }
    this.#receivers = [...new Set(options.urls.map((url) => url.replace(/\/+$/, '')))].map((url) => ({
      url,
      shownUrl: `${withoutCredentials(url)}/api/v2/alerts`,
      queue: new AlertQueue(this.#options.queueAlertsMax),
      isBusy: false,
      failures: 0,
      lastAttemptMs: 0,
      nextAttemptMs: 0,
    }))
  }

  /** Takes all alerts there are and queues what is news. One decision per alert, in the same order. */
  offer(alerts: readonly NotifiableAlert[], nowMs: number): AlertDecision[] {
    const handedOver = new Map<string, HandedOver>()
    const picked = onePerFingerprint(alerts)
    const decisions = alerts.map((alert): AlertDecision => {
      const { fingerprint, activeAtMs } = alert
      if (picked.get(fingerprint) !== alert) return { sends: false, reason: 'same_labels', fingerprint, refusedBy: 0 }
      const before = this.#last.get(fingerprint)
      const decision = decideHandOver(alert, before, nowMs, this.#options.resendDelayMs)
      const { sends, reason } = decision
      const refusedBy = sends ? this.#receivers.filter(({ queue }) => !queue.put({ alert, reason })).length : 0
      const isTaken = sends && refusedBy === 0
      if (isTaken && alert.state !== 'pending')
        handedOver.set(fingerprint, { atMs: nowMs, state: alert.state, activeAtMs })
      else if (before !== undefined) handedOver.set(fingerprint, before)
      return { ...decision, fingerprint, refusedBy }
    })
    // Alerts that are no longer offered are forgotten with this.
    this.#last = handedOver
    return decisions
  }

  /** Sends what is queued to the receivers that are neither busy nor waiting for a retry. Never rejects. */
  async deliver(nowMs: number): Promise<readonly HandOverAttempt[]> {
    const ready = this.#receivers.filter(({ isBusy, nextAttemptMs, queue, lastAttemptMs }) => {
      // Before the last attempt: the clock was set back, and the time of the next one means nothing.
      const isWaiting = nowMs < nextAttemptMs && nowMs >= lastAttemptMs
      return !isBusy && !isWaiting && queue.size > 0
    })
    return (await Promise.all(ready.map((receiver) => this.#drain(receiver, nowMs)))).flat()
  }

  /** Batch after batch until the queue is empty or the receiver fails. */
  async #drain(receiver: Receiver, nowMs: number): Promise<HandOverAttempt[]> {
    const attempts: HandOverAttempt[] = []
    receiver.isBusy = true
    try {
      // What is put in meanwhile is for the next call: this one ends.
      let left = receiver.queue.size
      while (left > 0) {
        const batch = receiver.queue.peek(Math.min(left, this.#options.batchAlertsMax))
        if (batch.length === 0) break
        left -= batch.length
        const attempt = await this.#send(receiver, batch, nowMs)
        attempts.push(attempt)
        if (attempt.outcome === 'failed') break
      }
    } finally {
      receiver.isBusy = false
    }
    return attempts
  }

  async #send(receiver: Receiver, batch: readonly QueuedAlert[], nowMs: number): Promise<HandOverAttempt> {
    const { http, timeoutMs } = this.#options
    const alerts = batch.map(({ alert }) => this.#postable(alert, nowMs))
    const sending = { http, timeoutMs, secrets: [] }
    const result = await postAlerts({ url: receiver.url, http: HTTP, timeout: timeoutMs }, alerts, sending)
    const { outcome, status, error, retryAfterMs } = result
    const attempt = receiver.failures + 1
    receiver.lastAttemptMs = nowMs
    receiver.failures = outcome === 'failed' ? attempt : 0
    receiver.nextAttemptMs = outcome === 'failed' ? nowMs + retryDelayMs(attempt, retryAfterMs) : 0
    // What Alertmanager refuses is not tried again: it has taken the good alerts of the batch.
    if (outcome !== 'failed') receiver.queue.done(batch)
    return {
      url: receiver.shownUrl,
      ...(status === undefined ? {} : { status }),
      outcome,
      ...(error === undefined ? {} : { error }),
      count: batch.length,
      reasons: countReasons(batch),
      attempt,
      ...(outcome === 'failed' ? { retryAtMs: receiver.nextAttemptMs } : {}),
    }
  }

  #postable(alert: NotifiableAlert, nowMs: number): PostableAlert {
    const { resendDelayMs, externalUrl } = this.#options
    const { labels, annotations, state, rule } = alert
    const validMs = REPEATS_UNTIL_END * Math.max(rule.intervalMs, resendDelayMs)
    const startsAtMs = alert.firedAtMs ?? alert.activeAtMs
    const endsAtMs = state === 'resolved' ? (alert.resolvedAtMs ?? nowMs) : nowMs + validMs
    return postableAlert(
      { labels, annotations, startsAtMs, generatorUrl: generatorUrl(externalUrl, rule.expr) },
      endsAtMs,
    )
  }
}

function withoutCredentials(url: string): string {
  if (!URL.canParse(url)) return url
  const parsed = new URL(url)
  if (parsed.username === '' && parsed.password === '') return url
  parsed.username = ''
  parsed.password = ''
  return parsed.href.replace(/\/+$/, '')
}

function countReasons(batch: readonly QueuedAlert[]): Partial<Record<NotifyReason, number>> {
  const counts: Partial<Record<NotifyReason, number>> = {}
  for (const { reason } of batch) counts[reason] = (counts[reason] ?? 0) + 1
  return counts
}
