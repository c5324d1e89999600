import {
  HEALTH_IMPACTS,
  SEVERITIES,
  healthImpactOf,
  severityOf,
  type Alert,
  type HealthImpact,
  type Severity,
} from '../../model/alert.ts'
import { groupBy } from '../../base/group-by.ts'
import { clusterOf } from '../../model/cluster-identity.ts'

/** Firing alerts of the fleet, counted. Severity and health impact are independent, so both are included. */
export interface FiringNow {
  readonly counts: Readonly<Record<Severity, number>>
  readonly pending: number
  /** The most severe first, then the newest. */
  readonly groups: readonly FiringGroup[]
}

/** Alerts of one name, severity and impact: some names exist twice, with different weight (facts 2.1). */
export interface FiringGroup {
  readonly alertname: string
  readonly severity: Severity
  readonly healthImpact: HealthImpact
  readonly clusters: number
  readonly alerts: number
  /** Of the newest alert. */
  readonly fingerprint: string
  readonly newestAtMs: number
}

export function firingNow(alerts: readonly Alert[]): FiringNow {
  const counts: Record<Severity, number> = { critical: 0, warning: 0, info: 0, none: 0 }
  const firing = alerts.filter(({ state }) => state === 'firing')
  for (const { labels } of firing) counts[severityOf(labels)]++
  const byKey = groupBy(firing, ({ labels }) => {
    return `${labels.get('alertname')}\u0000${severityOf(labels)}\u0000${healthImpactOf(labels)}`
  })
  const groups = [...byKey.values()].map(groupOf).sort(compareGroups)
  return { counts, pending: alerts.filter(({ state }) => state === 'pending').length, groups }
}

function groupOf(alerts: readonly Alert[]): FiringGroup {
  const newest = alerts.reduce((best, alert) => (startOf(alert) > startOf(best) ? alert : best))
  const clusters = new Set(alerts.map(({ labels }) => clusterOf(labels)).filter((cluster) => cluster !== ''))
  return {
    alertname: newest.labels.get('alertname'),
    severity: severityOf(newest.labels),
    healthImpact: healthImpactOf(newest.labels),
    clusters: clusters.size,
    alerts: alerts.length,
    fingerprint: newest.fingerprint,
    newestAtMs: startOf(newest),
  }
}

function startOf(alert: Alert): number {
  return alert.firedAtMs ?? alert.activeAtMs
}

function compareGroups(a: FiringGroup, b: FiringGroup): number {
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    HEALTH_IMPACTS.indexOf(a.healthImpact) - HEALTH_IMPACTS.indexOf(b.healthImpact) ||
    b.newestAtMs - a.newestAtMs ||
    (a.alertname < b.alertname ? -1 : 1)
  )
}
