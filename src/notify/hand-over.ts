/**
 * Hands firing and resolved alerts over to Alertmanagers, as Prometheus does: each Alertmanager receives every alert, once a
 * minute while the alert fires and for 15 minutes after it has resolved. Time is an argument; each call of `deliver` retries
 * what is due. A slow or unreachable receiver delays only its own alerts. The queue has the newest state of each alert, so a
 * receiver that was unreachable for an hour receives no history.
 */
import type { Alert } from '../model/alert.ts'
import type { DeliveryOutcome } from '../model/delivery.ts'
import { HTTP_DEFAULTS } from './config/http-config.ts'
import { mapInSteps, type Steps } from '../base/thread-slices.ts'
import { onePerFingerprint } from './dispatch.ts'
import type { NotifiableAlert } from './ports.ts'
import type { HttpClient } from './http-client.ts'
import { generatorUrl } from './message.ts'
import type { NotifyReason } from './pipeline-state.ts'
import { REPEATS_UNTIL_END, postableAlert, postAlerts, type PostableAlert } from './receivers/alertmanager.ts'
import { retryDelayMs } from './receivers/attempt.ts'

export interface HandOverOptions {
  /** Base addresses, like `http://alertmanager:9093`; a user and a password in one are sent as basic authentication. */
  readonly urls: readonly string[]
  readonly http: HttpClient
  /** The URL of this server for its users, without a trailing slash. */
  readonly externalUrl: string
  /** How often a firing alert is repeated. */
  readonly resendDelayMs?: number
  readonly batchAlertsMax?: number
  /** Maximum number of queued alerts of one receiver. */
  readonly queueAlertsMax?: number
  readonly timeoutMs?: number
}

const DEFAULTS = { resendDelayMs: 60_000, batchAlertsMax: 256, queueAlertsMax: 10_000, timeoutMs: 10_000 } as const

/** A redirect would send the alerts to an address that is not configured. */
const HTTP = { ...HTTP_DEFAULTS, followRedirects: false }

export interface AlertDecision extends HandOverDecision {
  readonly fingerprint: string
  /** Number of receivers with a full queue; the alert is decided again at the next call. */
  readonly refusedBy: number
}

/** One attempt to deliver a batch. */
export interface HandOverAttempt {
  /** Without user and password. */
  readonly url: string
  /** HTTP status; absent without a response. */
  readonly status?: number
  readonly outcome: DeliveryOutcome
  /** The response, or why there was none; absent when the alerts were delivered. */
  readonly error?: string
  /** Alerts in the batch, and their number by reason. */
  readonly count: number
  readonly reasons: Readonly<Partial<Record<NotifyReason, number>>>
  /** 1 for the first try. */
  readonly attempt: number
  /** Time of the next attempt; absent when there is none. */
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

  /** Takes all alerts and queues those that are due. Returns one decision per alert, in the same order. */
  *offer(alerts: readonly NotifiableAlert[], nowMs: number): Steps<AlertDecision[]> {
    const handedOver = new Map<string, HandedOver>()
    const picked = yield* onePerFingerprint(alerts)
    const decisions = yield* mapInSteps(alerts, (alert): AlertDecision => {
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
      // A time before the last attempt: the clock was set back, so the time of the next attempt is void.
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
      // Alerts that are queued in the meantime are for the next call, so that this one ends.
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
    // A refused batch is not retried: Alertmanager has accepted its valid alerts.
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

interface QueuedAlert {
  readonly alert: NotifiableAlert
  readonly reason: NotifyReason
}

/** What one Alertmanager has not received yet: the newest state of each alert, in the order of arrival. */
class AlertQueue {
  readonly #capacity: number
  readonly #queued = new Map<string, QueuedAlert>()

  /** @param capacity maximum number of alerts */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#queued.size
  }

  /** False when the queue is full; the alert is then not queued. */
  put({ alert, reason }: QueuedAlert): boolean {
    const before = this.#queued.get(alert.fingerprint)
    if (before === undefined && this.#queued.size >= this.#capacity) return false
    // An alert that is queued as `first` was never sent.
    const isFirst = before?.reason === 'first' && reason === 'repeat_due'
    this.#queued.set(alert.fingerprint, { alert, reason: isFirst ? 'first' : reason })
    return true
  }

  /** The oldest alerts. They remain queued until `done`. */
  peek(count: number): readonly QueuedAlert[] {
    return [...this.#queued.values()].slice(0, count)
  }

  /** Removes sent alerts; an alert that has changed in the meantime remains. */
  done(batch: readonly QueuedAlert[]): void {
    for (const queued of batch) {
      const { fingerprint } = queued.alert
      if (this.#queued.get(fingerprint) === queued) this.#queued.delete(fingerprint)
    }
  }
}

/** How long a resolved alert is repeated, for a receiver that was unreachable. */
export const RESOLVED_REPEAT_MS = 15 * 60_000

/** The state of an alert that was handed over last. */
export interface HandedOver {
  readonly atMs: number
  readonly state: 'firing' | 'resolved'
  readonly activeAtMs: number
}

interface HandOverDecision {
  readonly sends: boolean
  readonly reason: NotifyReason
}

/** Whether an alert is handed over now, and why. */
export function decideHandOver(
  alert: Alert,
  last: HandedOver | undefined,
  nowMs: number,
  resendDelayMs: number,
): HandOverDecision {
  const send = (reason: NotifyReason): HandOverDecision => ({ sends: true, reason })
  const hold = (reason: NotifyReason): HandOverDecision => ({ sends: false, reason })
  if (alert.state === 'pending') return hold('pending')
  if (alert.state === 'resolved') {
    if (nowMs - (alert.resolvedAtMs ?? nowMs) > RESOLVED_REPEAT_MS) return hold('resolved_long_ago')
    // Also when its firing was not handed over: it may have been before a restart.
    if (last?.state !== 'resolved') return send('resolved')
  } else if (last?.state !== 'firing' || last.activeAtMs !== alert.activeAtMs) {
    // A new occurrence of an alert that was handed over before counts as first.
    return send('first')
  }
  // A clock that was set back must not suppress notifications.
  const sinceMs = Math.abs(nowMs - last.atMs)
  return sinceMs >= resendDelayMs ? send('repeat_due') : hold('nothing_new')
}
