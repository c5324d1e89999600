/**
 * The metrics that this server derives from facts, for rules and dashboards. A test compares them with the catalogue that the
 * rule checks read.
 */
interface DerivedMetric {
  readonly name: string
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly labels: readonly string[]
  readonly unit?: 'seconds' | 'ratio'
}

const EDGE = ['operator', 'from', 'to'] as const
const OF_CLUSTER = ['cluster', ...EDGE] as const
const CLUSTER_INFO = [
  ...['cluster', 'flavour', 'hco_version', 'kubevirt_version', 'platform', 'platform_version'],
  ...['channel', 'approval', 'region', 'environment'],
] as const

export const DERIVED_METRICS = [
  /** Duration of successful upgrades, from the approval if one was needed. */
  { name: 'daytwo_upgrade_duration_seconds', type: 'histogram', labels: EDGE, unit: 'seconds' },
  /** Upgrades that ended: succeeded, failed, superseded, rolled_back. */
  { name: 'daytwo_upgrades_total', type: 'counter', labels: [...EDGE, 'outcome'] },
  /** 1 while an upgrade is in progress. */
  { name: 'daytwo_upgrade_in_progress', type: 'gauge', labels: OF_CLUSTER },
  /** How long an open upgrade has been in a phase that is in progress. */
  { name: 'daytwo_upgrade_phase_seconds', type: 'gauge', labels: [...OF_CLUSTER, 'phase'], unit: 'seconds' },
  /** 1 while an upgrade has no progress for longer than typical for its phase; with the most likely cause. */
  { name: 'daytwo_upgrade_stuck', type: 'gauge', labels: [...OF_CLUSTER, 'phase', 'cause'] },
  /** How long the install plan of an upgrade has been pending approval. */
  { name: 'daytwo_approval_waiting_seconds', type: 'gauge', labels: OF_CLUSTER, unit: 'seconds' },
  /** Share of the ended upgrades on an edge that succeeded, with its 95 % interval (Wilson). */
  { name: 'daytwo_edge_success_ratio', type: 'gauge', labels: EDGE, unit: 'ratio' },
  { name: 'daytwo_edge_success_ratio_low', type: 'gauge', labels: EDGE, unit: 'ratio' },
  { name: 'daytwo_edge_success_ratio_high', type: 'gauge', labels: EDGE, unit: 'ratio' },
  /** Upgrades on an edge, whatever their outcome. */
  { name: 'daytwo_edge_attempts', type: 'gauge', labels: EDGE },
  /** 1 for each cluster; labels with unknown values are absent. */
  { name: 'daytwo_cluster_info', type: 'gauge', labels: CLUSTER_INFO },
  { name: 'daytwo_cluster_last_seen_seconds', type: 'gauge', labels: ['cluster'], unit: 'seconds' },
  /** 1 for each cluster that is gone: declared decommissioned (declared), or not seen for too long (unheard). */
  { name: 'daytwo_cluster_gone', type: 'gauge', labels: ['cluster', 'why'] },
  /** How long a problem of the operator has lasted, or OLM cannot plan its upgrade for a reason; also during an upgrade. */
  { name: 'daytwo_cluster_problem_seconds', type: 'gauge', labels: ['cluster', 'cause', 'reason'], unit: 'seconds' },
  /** How long ago a version was offered to peers of a cluster that OLM reports as up to date without it. */
  {
    name: 'daytwo_update_not_offered_seconds',
    type: 'gauge',
    labels: ['cluster', 'version', 'offered'],
    unit: 'seconds',
  },
  /** Minors by which OpenShift Virtualization is ahead of its platform; below zero: behind. Not for the community version. */
  { name: 'daytwo_version_skew', type: 'gauge', labels: ['cluster', 'minor', 'platform_minor'] },
  /** Clusters that run a version, of those seen in the last week. */
  { name: 'daytwo_adoption_clusters', type: 'gauge', labels: ['operator', 'version'] },
  /** Active JSON patches in annotations. */
  { name: 'daytwo_unsafe_modifications', type: 'gauge', labels: ['cluster', 'component'] },
  /** Edits of operands that were reverted, without those during an upgrade. */
  { name: 'daytwo_out_of_band_modifications_total', type: 'counter', labels: ['cluster', 'component'] },
] as const satisfies readonly DerivedMetric[]

export interface DerivedValue {
  /** The metric's, with `_bucket`, `_sum` or `_count` for a histogram's series. */
  readonly name:
    (typeof DERIVED_METRICS)[number]['name'] | `daytwo_upgrade_duration_seconds_${'bucket' | 'sum' | 'count'}`
  /** An empty text is an absent label. */
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  /** The value never falls, and the series starts at zero. */
  readonly isCounter?: boolean
}
