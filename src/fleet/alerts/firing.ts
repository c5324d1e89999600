import {
  HEALTH_IMPACTS,
  SEVERITIES,
  healthImpactOf,
  severityOf,
  type Alert,
  type HealthImpact,
  type Severity,
} from '../../model/alert.ts'
import { eachInSteps, type Steps } from '../../base/thread-slices.ts'
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

export function* firingNow(alerts: readonly Alert[]): Steps<FiringNow> {
  const counts: Record<Severity, number> = { critical: 0, warning: 0, info: 0, none: 0 }
  const groups = new Map<string, CountedGroup>()
  let pending = 0
  yield* eachInSteps(alerts, (alert) => {
    const { labels, state } = alert
    if (state === 'pending') pending++
    if (state !== 'firing') return
    const severity = severityOf(labels)
    counts[severity]++
    const key = `${labels.get('alertname')}\u0000${severity}\u0000${healthImpactOf(labels)}`
    const group = groups.get(key) ?? { newest: alert, clusters: new Set(), alerts: 0 }
    groups.set(key, group)
    group.alerts++
    if (startOf(alert) > startOf(group.newest)) group.newest = alert
    const cluster = clusterOf(labels)
    if (cluster !== '') group.clusters.add(cluster)
  })
  return { counts, pending, groups: [...groups.values()].map(groupOf).sort(compareGroups) }
}

interface CountedGroup {
  newest: Alert
  readonly clusters: Set<string>
  alerts: number
}

function groupOf({ newest, clusters, alerts }: CountedGroup): FiringGroup {
  return {
    alertname: newest.labels.get('alertname'),
    severity: severityOf(newest.labels),
    healthImpact: healthImpactOf(newest.labels),
    clusters: clusters.size,
    alerts,
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
