/** Series of readiness: the verdict on the next minor version of each cluster, its hazards, acceptances that expire. */
import type { ClusterReadiness } from '../readiness/readiness-index.ts'
import { CLUSTER_LIVES_MS } from './derived-clusters.ts'
import type { DerivedValue } from './derived-metrics.ts'

/** One verdict per cluster, and one series per hazard that it has: a handful. */
export function readinessValues(all: Iterable<ClusterReadiness>, nowMs: number): DerivedValue[] {
  const values: DerivedValue[] = []
  for (const { record, target, verdict, hazards } of all) {
    const { cluster, lastSeenMs } = record
    if (nowMs - lastSeenMs > CLUSTER_LIVES_MS) continue
    const { version } = target
    values.push({ name: 'daytwo_cluster_readiness', labels: { cluster, target: version, verdict }, value: 1 })
    for (const { id: hazard, finding, accepted } of hazards) {
      if (finding.state !== 'present') continue
      values.push({
        name: 'daytwo_cluster_hazard_seconds',
        labels: { cluster, hazard, accepted: String(accepted !== undefined) },
        value: Math.max(0, nowMs - (finding.sinceMs ?? nowMs)) / 1000,
      })
      if (accepted === undefined) continue
      values.push({
        name: 'daytwo_risk_acceptance_expires_seconds',
        labels: { cluster, hazard },
        value: (accepted.expiresMs - nowMs) / 1000,
      })
    }
  }
  return values
}
