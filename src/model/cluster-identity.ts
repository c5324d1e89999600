import type { Labels } from './labels.ts'

/**
 * The cluster of a label set. Sources use different labels for it (facts: OpenShift remote write, telemetry, ACM,
 * OpenTelemetry); `ingest` copies the first one present into `cluster`, and keeps the others.
 */

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

/** The cluster; empty: none of the labels is present. */
export function clusterOf(labels: Labels, aliases: readonly string[] = CLUSTER_ALIASES): string {
  const own = labels.get(CLUSTER_LABEL)
  if (own !== '') return own
  for (const alias of aliases) {
    const value = labels.get(alias)
    if (value !== '') return value
  }
  return ''
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A uid or id, which machines choose, and not a name that people chose. */
export function isUuid(name: string): boolean {
  return UUID.test(name)
}

/** What the labels identify: the uid of the namespace kube-system, or OpenShift's cluster id. */
export const IDENTITY_KINDS: ReadonlyMap<string, 'uid' | 'id'> = new Map([
  ['k8s_cluster_uid', 'uid'],
  ['cluster_id', 'id'],
  ['clusterID', 'id'],
  ['_id', 'id'],
])
