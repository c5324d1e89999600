/**
 * The metrics that this server derives from facts, for rules and dashboards. A test keeps the catalogue that lint reads
 * equal.
 */
export interface DerivedMetric {
  readonly name: string
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly labels: readonly string[]
  readonly unit?: 'seconds' | 'ratio'
  readonly help: string
}

const EDGE = ['operator', 'from', 'to'] as const
const OF_CLUSTER = ['cluster', ...EDGE] as const

export const DERIVED_METRICS = [
  {
    name: 'daytwo_upgrade_duration_seconds',
    type: 'histogram',
    labels: EDGE,
    unit: 'seconds',
    help: 'How long upgrades took that got there, from the approval where one was waited for.',
  },
  {
    name: 'daytwo_upgrades_total',
    type: 'counter',
    labels: [...EDGE, 'outcome'],
    help: 'Upgrades that ended: succeeded, failed, superseded, rolled_back.',
  },
  { name: 'daytwo_upgrade_in_progress', type: 'gauge', labels: OF_CLUSTER, help: '1 while an upgrade runs.' },
  {
    name: 'daytwo_upgrade_phase_seconds',
    type: 'gauge',
    labels: [...OF_CLUSTER, 'phase'],
    unit: 'seconds',
    help: 'How long an open upgrade has been in a phase that goes on.',
  },
  {
    name: 'daytwo_upgrade_stuck',
    type: 'gauge',
    labels: [...OF_CLUSTER, 'phase', 'cause'],
    help: '1 while an upgrade gets no further for longer than its phase usually takes; the likeliest cause.',
  },
  {
    name: 'daytwo_approval_waiting_seconds',
    type: 'gauge',
    labels: OF_CLUSTER,
    unit: 'seconds',
    help: 'How long an upgrade has been waiting for somebody to approve its install plan.',
  },
  {
    name: 'daytwo_edge_success_ratio',
    type: 'gauge',
    labels: EDGE,
    unit: 'ratio',
    help: 'Of the upgrades on an edge that ended, those that succeeded.',
  },
  {
    name: 'daytwo_edge_success_ratio_low',
    type: 'gauge',
    labels: EDGE,
    unit: 'ratio',
    help: 'Lower end of the 95 % interval of daytwo_edge_success_ratio (Wilson).',
  },
  {
    name: 'daytwo_edge_success_ratio_high',
    type: 'gauge',
    labels: EDGE,
    unit: 'ratio',
    help: 'Upper end of the 95 % interval of daytwo_edge_success_ratio (Wilson).',
  },
  {
    name: 'daytwo_edge_attempts',
    type: 'gauge',
    labels: EDGE,
    help: 'Upgrades that took an edge, whatever became of them.',
  },
  {
    name: 'daytwo_cluster_info',
    type: 'gauge',
    labels: [
      'cluster',
      'flavour',
      'hco_version',
      'kubevirt_version',
      'platform',
      'platform_version',
      'channel',
      'approval',
      'region',
      'environment',
    ],
    help: '1 for each cluster; what is not known is absent.',
  },
  {
    name: 'daytwo_cluster_last_seen_seconds',
    type: 'gauge',
    labels: ['cluster'],
    unit: 'seconds',
    help: 'Seconds since the cluster was last seen.',
  },
  {
    name: 'daytwo_cluster_gone',
    type: 'gauge',
    labels: ['cluster', 'why'],
    help: '1 for each cluster that was switched off for good: somebody said so (declared), or it was not seen for so long that it counts as gone (unheard).',
  },
  {
    name: 'daytwo_update_not_offered_seconds',
    type: 'gauge',
    labels: ['cluster', 'version', 'offered'],
    unit: 'seconds',
    help: 'How long ago a version was offered to peers of a cluster that OLM calls up to date without it.',
  },
  {
    name: 'daytwo_version_skew',
    type: 'gauge',
    labels: ['cluster', 'minor', 'platform_minor'],
    help: "Minors by which OpenShift Virtualization is ahead of its platform; below zero it is behind. Not for the community's.",
  },
  {
    name: 'daytwo_adoption_clusters',
    type: 'gauge',
    labels: ['operator', 'version'],
    help: 'Clusters that run a version, of those seen in the last week.',
  },
  {
    name: 'daytwo_unsafe_modifications',
    type: 'gauge',
    labels: ['cluster', 'component'],
    help: 'JSON patches in annotations that stand.',
  },
  {
    name: 'daytwo_out_of_band_modifications_total',
    type: 'counter',
    labels: ['cluster', 'component'],
    help: 'Edits of operands that were changed back, apart from those in an upgrade.',
  },
] as const satisfies readonly DerivedMetric[]

export type DerivedMetricName = (typeof DERIVED_METRICS)[number]['name']

/** The current value of a series. */
export interface DerivedValue {
  /** The metric's, with `_bucket`, `_sum` or `_count` for a histogram's series. */
  readonly name: DerivedMetricName | `daytwo_upgrade_duration_seconds_${'bucket' | 'sum' | 'count'}`
  /** An empty text is an absent label. */
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  /** The value never falls, and the series starts at zero. */
  readonly isCounter?: boolean
}
