import { countBy, groupBy } from './group-by.ts'
import type { AlertItem } from '../../contract/alerts.ts'
import type { GroupBy } from './alert-view.ts'
import { SHOWN_ELSEWHERE } from './alert-labels.ts'
import { isHeldBack, marksOf } from './alert-marks.ts'
import { ALERT_STATES, HEALTH_IMPACTS, SEVERITIES, type HealthImpact, type Severity } from './severity.ts'

/**
 * Groups alerts by a common label. `auto` groups by alert name, or by cluster when fewer clusters than names have alerts
 * (one unhealthy cluster raises many alert names), and splits a large group by the label that explains most. Pure; groups
 * and alerts keep the order of the given list.
 */
export interface AlertGroup {
  /** Stable between polls. */
  readonly id: string
  /** `alertname`, `cluster` or another label; empty for an alert of a flat list. */
  readonly by: string
  readonly value: string
  readonly alerts: readonly AlertItem[]
  /** At least one; more when a label splits the group into useful parts. */
  readonly parts: readonly AlertPart[]
  /** The label of the parts; empty with a single part. */
  readonly partsBy: string
}

interface AlertPart extends Pick<AlertGroup, 'id' | 'alerts'> {
  /** The value of the label `partsBy`; empty for alerts without that label. */
  readonly value: string
}

/** Up to this number, headings would only take space. */
const FLAT_MAX = 8
/** Smaller groups are not split. */
const PARTS_ALERTS_MIN = 4

export function groupAlerts(alerts: readonly AlertItem[], groupBy: GroupBy): AlertGroup[] {
  const by = labelOf(alerts, groupBy)
  if (by === '') return alerts.map((alert) => single(alert))
  return [...bucketsOf(alerts, by)].map(([value, members]) => groupOf(by, value, members))
}

/** The labels to group by: labels that the alerts have, and whose values differ. */
export function groupableLabels(alerts: readonly AlertItem[]): string[] {
  const names = new Set(alerts.flatMap(({ labels }) => Object.keys(labels)))
  return [...names].filter((name) => !SHOWN_ELSEWHERE.has(name) && bucketsOf(alerts, name).size > 1).sort()
}

function labelOf(alerts: readonly AlertItem[], groupBy: GroupBy): string {
  if (groupBy === 'none') return ''
  if (groupBy === 'alert') return 'alertname'
  if (groupBy === 'cluster') return 'cluster'
  if (groupBy !== 'auto') return groupBy.slice('label:'.length)
  if (alerts.length <= FLAT_MAX) return ''
  return bucketsOf(alerts, 'cluster').size < bucketsOf(alerts, 'alertname').size ? 'cluster' : 'alertname'
}

function single(alert: AlertItem): AlertGroup {
  const part = { id: alert.fingerprint, value: '', alerts: [alert] }
  return { ...part, by: '', parts: [part], partsBy: '' }
}

function groupOf(by: string, value: string, alerts: readonly AlertItem[]): AlertGroup {
  const id = `${by}=${value}`
  const partsBy = explainingLabel(alerts, by) ?? ''
  const parts =
    partsBy === ''
      ? [{ id, value: '', alerts }]
      : [...bucketsOf(alerts, partsBy)].map(([part, members]) => ({
          id: `${id},${partsBy}=${part}`,
          value: part,
          alerts: members,
        }))
  return { id, by, value, alerts, parts, partsBy }
}

/** The label with the fewest values (more than one), so that each value describes many alerts. */
export function explainingLabel(alerts: readonly AlertItem[], groupedBy: string): string | undefined {
  if (alerts.length < PARTS_ALERTS_MIN) return undefined
  const names = new Set(alerts.flatMap(({ labels }) => Object.keys(labels)))
  const candidates = ['cluster', 'alertname', ...[...names].filter((name) => !SHOWN_ELSEWHERE.has(name)).sort()]
  let best: string | undefined
  let fewest = Math.floor(alerts.length / 2) + 1
  for (const name of candidates) {
    if (name === groupedBy) continue
    const count = bucketsOf(alerts, name).size
    if (count > 1 && count < fewest) {
      best = name
      fewest = count
    }
  }
  return best
}

function bucketsOf(alerts: readonly AlertItem[], name: string): Map<string, AlertItem[]> {
  // The `cluster` field is the cluster's key, whichever label the cluster's name comes from.
  return groupBy(alerts, (alert) =>
    name === 'alertname' ? alert.alertname : name === 'cluster' ? alert.cluster : (alert.labels[name] ?? ''),
  )
}

/** The summary of an alert group in one row. Pure. */
interface GroupSummary {
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
  const counted = active.length > 0 ? active : alerts
  const words = counted.flatMap((alert) => marksOf(alert).map(({ word }) => word))
  return {
    severity: SEVERITIES.find((one) => counted.some(({ severity }) => severity === one)) ?? 'none',
    healthImpact: HEALTH_IMPACTS.find((one) => counted.some(({ healthImpact }) => healthImpact === one)) ?? 'none',
    clusters: [...new Set(alerts.map(({ cluster }) => cluster))],
    states: countsOf(
      alerts.map(({ state }) => state),
      ALERT_STATES,
    ),
    marks: countsOf(words, [...new Set(words)]),
    heldCount: counted.filter(isHeldBack).length,
    newestAtMs: Math.max(...alerts.map((one) => one.resolvedAtMs ?? one.firedAtMs ?? one.activeAtMs)),
  }
}

function countsOf(words: readonly string[], order: readonly string[]): Counted[] {
  const counts = countBy(words, (word) => word)
  return order.flatMap((word) => (counts.has(word) ? [{ word, count: counts.get(word)! }] : []))
}
