import type { Labels } from './labels.ts'

/**
 * Which cluster a label set speaks of. One cluster is named by different labels on different ways in
 * (facts: OpenShift remote write, telemetry, ACM, OpenTelemetry); `ingest` copies the first one present into
 * `cluster` on a series' first sight, so that rules, pages and people use one name. Nothing sent is lost.
 */

/** The label that holds the cluster on everything Daytwo shows. */
export const CLUSTER_LABEL = 'cluster'

/** In order of preference, after `cluster` itself. Configurable by `identity.labels`. */
export const CLUSTER_ALIASES: readonly string[] = [
  'cluster_id',
  '_id',
  'clusterID',
  'managed_cluster_id',
  'k8s_cluster_uid',
  'k8s_cluster_name',
  'cluster_name',
]

/** The cluster, or the empty string when none of the labels is there. */
export function clusterOf(labels: Labels, aliases: readonly string[] = CLUSTER_ALIASES): string {
  const own = labels.get(CLUSTER_LABEL)
  if (own !== '') return own
  for (const alias of aliases) {
    const value = labels.get(alias)
    if (value !== '') return value
  }
  return ''
}
