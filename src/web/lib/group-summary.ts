import type { AlertItem } from '../../contract/alerts.ts'
import { isHeldBack, marksOf } from './alert-marks.ts'
import { ALERT_STATES, HEALTH_IMPACTS, SEVERITIES, type HealthImpact, type Severity } from './severity.ts'

/** The summary of an alert group in one row. Pure. */
export interface GroupSummary {
  /** The highest severity of the active alerts, or of all alerts when all are resolved. */
  readonly severity: Severity
  readonly healthImpact: HealthImpact
  readonly clusters: readonly string[]
  readonly states: readonly Counted[]
  readonly marks: readonly Counted[]
  /** Suppressed or acknowledged alerts. */
  readonly heldCount: number
  readonly newestAtMs: number
}

interface Counted {
  readonly word: string
  readonly count: number
}

/** @param alerts at least one */
export function summaryOf(alerts: readonly AlertItem[]): GroupSummary {
  const active = alerts.filter(({ state }) => state !== 'resolved')
  const telling = active.length > 0 ? active : alerts
  const words = telling.flatMap((alert) => marksOf(alert).map(({ word }) => word))
  return {
    severity: SEVERITIES.find((one) => telling.some(({ severity }) => severity === one)) ?? 'none',
    healthImpact: HEALTH_IMPACTS.find((one) => telling.some(({ healthImpact }) => healthImpact === one)) ?? 'none',
    clusters: [...new Set(alerts.map(({ cluster }) => cluster))],
    states: countsOf(
      alerts.map(({ state }) => state),
      ALERT_STATES,
    ),
    marks: countsOf(words, [...new Set(words)]),
    heldCount: telling.filter(isHeldBack).length,
    newestAtMs: Math.max(...alerts.map((one) => one.resolvedAtMs ?? one.firedAtMs ?? one.activeAtMs)),
  }
}

function countsOf(words: readonly string[], order: readonly string[]): Counted[] {
  return order
    .map((word) => ({ word, count: words.filter((one) => one === word).length }))
    .filter(({ count }) => count > 0)
}
