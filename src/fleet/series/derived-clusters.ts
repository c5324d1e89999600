/** Series of each cluster that are written: when it was last seen, and its problems. */
import type { ClusterProblem, ClusterRecord } from '../../model/cluster-record.ts'
import type { DerivedValue } from './derived-metrics.ts'

/** The series of a cluster that was not seen for a week end, whether or not it is gone. */
export const CLUSTER_LIVES_MS = 7 * 24 * 3600_000

export function clusterValues(clusters: Iterable<ClusterRecord>, nowMs: number): DerivedValue[] {
  const values: DerivedValue[] = []
  for (const record of clusters) {
    const { cluster, lastSeenMs } = record
    if (nowMs - lastSeenMs > CLUSTER_LIVES_MS) continue
    const seconds = Math.max(0, nowMs - lastSeenMs) / 1000
    values.push({ name: 'daytwo_cluster_last_seen_seconds', labels: { cluster }, value: seconds })
    values.push(...problemValues(record, nowMs))
  }
  return values
}

/** The longest of the problems with one cause and reason: they are one series. */
function problemValues({ cluster, problems = [] }: ClusterRecord, nowMs: number): readonly DerivedValue[] {
  const oldest = new Map<string, ClusterProblem>()
  for (const problem of problems.toSorted((a, b) => b.sinceMs - a.sinceMs))
    oldest.set(JSON.stringify([problem.cause, problem.reason]), problem)
  return [...oldest.values()].map(({ cause, reason = '', sinceMs }) => {
    const value = Math.max(0, nowMs - sinceMs) / 1000
    return { name: 'daytwo_cluster_problem_seconds', labels: { cluster, cause, reason }, value }
  })
}
