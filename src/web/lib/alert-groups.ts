import type { AlertItem } from '../../contract/alerts.ts'
import type { GroupBy } from './alert-view.ts'
import { SHOWN_ELSEWHERE } from './own-labels.ts'

/**
 * Alerts by what they share. `auto` groups by alert name, or by cluster when fewer clusters than names are concerned
 * (one sick cluster raises many names), and cuts a large group once more by the label that explains most. Pure; the
 * order of groups and of alerts is that of the list given.
 */
export interface AlertGroup {
  /** The same for the same group after the next poll. */
  readonly id: string
  /** `alertname`, `cluster` or another label; empty for an alert that stands by itself in a flat list. */
  readonly by: string
  readonly value: string
  readonly alerts: readonly AlertItem[]
  /** At least one; more when a label cuts the group into parts that say something. */
  readonly parts: readonly AlertPart[]
  /** The label that made the parts; empty when there is one. */
  readonly partsBy: string
}

export interface AlertPart {
  readonly id: string
  /** Of the label `partsBy`; empty where an alert does not have it. */
  readonly value: string
  readonly alerts: readonly AlertItem[]
}

/** So few are read at a glance; headings would only push them apart. */
const FLAT_MAX = 8
/** Groups below this size are not cut again. */
const PARTS_ALERTS_MIN = 4

export function groupAlerts(alerts: readonly AlertItem[], groupBy: GroupBy): AlertGroup[] {
  const by = labelOf(alerts, groupBy)
  if (by === '') return alerts.map((alert) => single(alert))
  return [...bucketsOf(alerts, by)].map(([value, members]) => groupOf(by, value, members))
}

/** The labels that a reader may group by: those that the alerts have, and in which they differ. */
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
  const { fingerprint } = alert
  return {
    id: fingerprint,
    by: '',
    value: '',
    alerts: [alert],
    parts: [{ id: fingerprint, value: '', alerts: [alert] }],
    partsBy: '',
  }
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

/** The label with the fewest values that still cuts the alerts: each value then says something about many of them. */
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
  const buckets = new Map<string, AlertItem[]>()
  for (const alert of alerts) {
    // The columns of the same name hold the key under which a cluster is known, whatever its label is called.
    const value =
      name === 'alertname' ? alert.alertname : name === 'cluster' ? alert.cluster : (alert.labels[name] ?? '')
    const bucket = buckets.get(value)
    if (bucket === undefined) buckets.set(value, [alert])
    else bucket.push(alert)
  }
  return buckets
}
