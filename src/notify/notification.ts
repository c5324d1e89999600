/** From an alert to what Alertmanager's API v2 takes (`POST /api/v2/alerts`). */
import type { Alert } from '../model/alert.ts'

/** What is asked of an alert that may be told to somebody; the rule engine's alerts are of this shape. */
export interface NotifiableAlert extends Alert {
  readonly rule: {
    readonly expr: string
    /** How often the alert is looked at again. */
    readonly intervalMs: number
  }
}

/** Alertmanager's `postableAlert`. Times are RFC 3339. */
export interface PostableAlert {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly startsAt: string
  readonly endsAt: string
  readonly generatorURL: string
}

export interface NotificationContext {
  readonly nowMs: number
  /** Without a slash at the end. */
  readonly externalUrl: string
  /** Added where the alert has no label of that name. */
  readonly externalLabels: Readonly<Record<string, string>>
  readonly resendDelayMs: number
}

/** An alert nobody repeats ends after this many beats, so that one lost message resolves nothing. */
const BEATS_UNTIL_END = 4

export function postableAlert(alert: NotifiableAlert, context: NotificationContext): PostableAlert {
  const { nowMs, externalUrl, externalLabels, resendDelayMs } = context
  const validMs = BEATS_UNTIL_END * Math.max(alert.rule.intervalMs, resendDelayMs)
  return {
    labels: { ...externalLabels, ...alert.labels.toObject() },
    annotations: alert.annotations,
    startsAt: timeText(alert.firedAtMs ?? alert.activeAtMs),
    endsAt: timeText(alert.state === 'resolved' ? (alert.resolvedAtMs ?? nowMs) : nowMs + validMs),
    generatorURL: generatorUrl(externalUrl, alert.rule.expr),
  }
}

/** Our own page for the expression: Prometheus' link form, which old links and karma know. */
export function generatorUrl(externalUrl: string, expr: string): string {
  return `${externalUrl}/graph?${new URLSearchParams({ 'g0.expr': expr, 'g0.tab': '1' }).toString()}`
}

function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString()
}
