import { CLUSTER_LABEL } from '../model/cluster-identity.ts'
import type { Labels } from '../model/labels.ts'
import type { Matcher } from '../model/matcher.ts'
import type { TimeRange } from '../model/time-range.ts'
import { escapeRegex } from '../model/regex.ts'

/**
 * Reads samples for facts: PromQL, and the list of clusters. Declared here and implemented by a query engine, so that facts
 * do not depend on the store. Times are milliseconds since the epoch.
 */
export interface FleetReader {
  instant(expr: string, timeMs: number): Promise<readonly FleetSample[]>
  /** Values at each step, both ends inclusive; steps without a value are left out. */
  range(expr: string, startMs: number, endMs: number, stepMs: number): Promise<readonly FleetSeries[]>
  /** Values of the label `cluster` on series that match and have a sample in the range. */
  clusters(matchers: readonly Matcher[], range: TimeRange): Promise<readonly string[]>
}

export interface FleetSample {
  readonly labels: Labels
  readonly value: number
}

export interface FleetSeries {
  readonly labels: Labels
  readonly timesMs: ArrayLike<number>
  readonly values: ArrayLike<number>
}

/**
 * A matcher text for these clusters, `cluster=~"a|b"`. Each is escaped twice, for the pattern and for the string:
 * cluster names are senders' texts.
 */
export function clusterMatcher(clusters: readonly string[]): string {
  return `${CLUSTER_LABEL}=~${JSON.stringify(clusters.map(escapeRegex).join('|'))}`
}

/** Labels in which the two Prometheus replicas of one cluster differ; without them their series are one (facts 11.12). */
export const REPLICA_LABELS = 'prometheus, prometheus_replica'

/** ClusterServiceVersions of the HyperConverged operator, upstream and OpenShift's. */
export const HCO_CSV = 'name=~"kubevirt-hyperconverged-operator[.]v.+"'
