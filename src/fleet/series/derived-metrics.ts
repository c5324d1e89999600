/**
 * The metrics that this server derives from facts, for rules and dashboards. A test compares them with the catalogue that the
 * rule checks read.
 *
 * Most are computed from the stored facts when they are queried (`fact-history.ts`), for any time, so they contain late data
 * and corrections, and they agree with the pages. The ones with `isWritten` are written as samples once a minute: facts hold
 * their present value only, so their history begins with the server and does not change.
 */
interface DerivedMetric {
  readonly name: string
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly labels: readonly string[]
  readonly unit?: 'seconds' | 'ratio'
  readonly help: string
  readonly isWritten?: true
}

const EDGE = ['operator', 'from', 'to'] as const
const OF_CLUSTER = ['cluster', ...EDGE] as const
const CLUSTER_INFO = [
  ...['cluster', 'flavour', 'hco_version', 'kubevirt_version', 'platform', 'platform_version'],
  ...['channel', 'approval', 'region', 'environment'],
] as const

export const DERIVED_METRICS = [
  {
    name: 'daytwo_upgrade_duration_seconds',
    type: 'histogram',
    labels: EDGE,
    unit: 'seconds',
    help: 'Duration of successful upgrades, from the approval if one was needed.',
  },
  {
    name: 'daytwo_upgrades_total',
    type: 'counter',
    labels: [...EDGE, 'outcome'],
    help: 'Upgrades that ended: succeeded, failed, superseded, rolled_back.',
  },
  { name: 'daytwo_upgrade_in_progress', type: 'gauge', labels: OF_CLUSTER, help: '1 while an upgrade is in progress.' },
  {
    name: 'daytwo_upgrade_phase_seconds',
    type: 'gauge',
    labels: [...OF_CLUSTER, 'phase'],
    unit: 'seconds',
    help: 'How long an open upgrade has been in a phase that is in progress.',
  },
  {
    name: 'daytwo_upgrade_stuck',
    type: 'gauge',
    labels: [...OF_CLUSTER, 'phase', 'cause'],
    help: '1 while an upgrade has no progress for longer than typical for its phase; with the most likely cause.',
    isWritten: true,
  },
  {
    name: 'daytwo_approval_waiting_seconds',
    type: 'gauge',
    labels: OF_CLUSTER,
    unit: 'seconds',
    help: 'How long the install plan of an upgrade has been pending approval.',
  },
  {
    name: 'daytwo_edge_success_ratio',
    type: 'gauge',
    labels: EDGE,
    unit: 'ratio',
    help: 'Share of the ended upgrades on an upgrade path that succeeded.',
  },
  {
    name: 'daytwo_edge_success_ratio_low',
    type: 'gauge',
    labels: EDGE,
    unit: 'ratio',
    help: 'Lower end of the 95 % interval (Wilson) of the success ratio.',
  },
  {
    name: 'daytwo_edge_success_ratio_high',
    type: 'gauge',
    labels: EDGE,
    unit: 'ratio',
    help: 'Upper end of the 95 % interval (Wilson) of the success ratio.',
  },
  { name: 'daytwo_edge_attempts', type: 'gauge', labels: EDGE, help: 'Upgrades on an upgrade path, with any outcome.' },
  {
    name: 'daytwo_cluster_info',
    type: 'gauge',
    labels: CLUSTER_INFO,
    help: '1 for each cluster; labels with unknown values are absent. Of the past, channel and approval are unknown; flavour, platform, region and environment are the present ones.',
  },
  {
    name: 'daytwo_cluster_last_seen_seconds',
    type: 'gauge',
    labels: ['cluster'],
    unit: 'seconds',
    help: 'How long ago a cluster was last seen.',
    isWritten: true,
  },
  {
    name: 'daytwo_cluster_silence_seconds',
    type: 'gauge',
    labels: ['cluster', 'cause'],
    unit: 'seconds',
    help: 'How long ago the last report of a cluster that is silent, or with one silent data source, arrived; with the cause: collector_stopped, remote_write_broken, network, upgrade, decommissioned, opted_out, unknown.',
    isWritten: true,
  },
  {
    name: 'daytwo_cluster_gone',
    type: 'gauge',
    labels: ['cluster', 'why'],
    help: '1 for each decommissioned cluster: declared by a user (declared), or without data for too long (unheard).',
    isWritten: true,
  },
  {
    name: 'daytwo_cluster_problem_seconds',
    type: 'gauge',
    labels: ['cluster', 'cause', 'reason'],
    unit: 'seconds',
    help: 'How long a problem of the operator has lasted, or OLM cannot plan its upgrade for a reason; also during an upgrade.',
    isWritten: true,
  },
  {
    name: 'daytwo_cluster_readiness',
    type: 'gauge',
    labels: ['cluster', 'target', 'verdict'],
    help: '1 for the verdict on the upgrade of a cluster to the next minor version of HCO: ready, at_risk, not_recommended, unknown.',
    isWritten: true,
  },
  {
    name: 'daytwo_cluster_hazard_seconds',
    type: 'gauge',
    labels: ['cluster', 'hazard', 'accepted'],
    unit: 'seconds',
    help: 'How long a hazard of the next minor upgrade is known to exist; 0: its start is not known. accepted: true while a user accepts the risk.',
    isWritten: true,
  },
  {
    name: 'daytwo_risk_acceptance_expires_seconds',
    type: 'gauge',
    labels: ['cluster', 'hazard'],
    unit: 'seconds',
    help: 'Time until the acceptance of a risk expires, while the cluster has the hazard.',
    isWritten: true,
  },
  {
    name: 'daytwo_cluster_configuration_differences',
    type: 'gauge',
    labels: ['cluster', 'against'],
    help: 'Settings of a cluster that differ from those of the chosen baseline cluster; defaults of two versions do not differ. against: baseline, whichever cluster is chosen.',
    isWritten: true,
  },
  {
    name: 'daytwo_cluster_configuration_change_seconds',
    type: 'gauge',
    labels: ['cluster', 'against', 'change', 'by'],
    unit: 'seconds',
    help: 'How long ago the newest change of a setting that differs from the baseline cluster was made: while an upgrade changed the cluster (change: in_upgrade) or not (outside_upgrade), by which field manager. Absent: its time is not known.',
    isWritten: true,
  },
  {
    name: 'daytwo_cluster_deprecated',
    type: 'gauge',
    labels: ['cluster', 'operator', 'subject', 'name'],
    help: '1 while a cluster runs a version, or its Subscription has a channel, that the imported update graph marks as deprecated. subject: version, channel.',
    isWritten: true,
  },
  {
    name: 'daytwo_cluster_dead_end',
    type: 'gauge',
    labels: ['cluster', 'operator', 'version'],
    help: '1 while no update of the update graph leads from the version of a cluster to a newer one, although a channel has a newer one of the same major.',
    isWritten: true,
  },
  {
    name: 'daytwo_update_not_offered_seconds',
    type: 'gauge',
    labels: ['cluster', 'version', 'offered'],
    unit: 'seconds',
    help: 'How long ago a version was offered to peers of a cluster that OLM reports as up to date without it.',
    isWritten: true,
  },
  {
    name: 'daytwo_rollout_verdict',
    type: 'gauge',
    labels: ['operator', 'version', 'verdict'],
    help: '1 for the present verdict on a version that clusters upgraded to in the last 30 days, 0 for the others: proceed, hold, insufficient, not_comparable.',
    isWritten: true,
  },
  {
    name: 'daytwo_rollout_clusters',
    type: 'gauge',
    labels: ['operator', 'version'],
    help: 'Clusters that upgraded to a version, or do now, on which its verdict is based.',
    isWritten: true,
  },
  {
    name: 'daytwo_rollout_evidence_ratio',
    type: 'gauge',
    labels: ['operator', 'version', 'signal'],
    unit: 'ratio',
    help: 'Evidence that a version is worse in a signal, as a share of what is needed: from 1 on it is proved.',
    isWritten: true,
  },
  {
    name: 'daytwo_version_skew',
    type: 'gauge',
    labels: ['cluster', 'minor', 'platform_minor'],
    help: 'Minors by which OpenShift Virtualization is ahead of its platform; below zero: behind. Not for the community version.',
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
    help: 'Active JSON patches in annotations.',
  },
  {
    name: 'daytwo_json_patch_findings',
    type: 'gauge',
    labels: ['cluster', 'component', 'class'],
    help: 'Findings about the JSON patch of an operand, for an upgrade to the next minor of HCO: broken, dangerous, unknown, gate, fragile, superseded, redundant.',
    isWritten: true,
  },
  {
    name: 'daytwo_json_patch_breaking',
    type: 'gauge',
    labels: ['cluster', 'component', 'version', 'to'],
    help: 'Operations of a JSON patch that have an effect in the installed version of HCO, and fail or lose it in the next minor.',
    isWritten: true,
  },
  {
    name: 'daytwo_out_of_band_modifications_total',
    type: 'counter',
    labels: ['cluster', 'component'],
    help: 'Edits of operands that were reverted, without those during an upgrade.',
  },
] as const satisfies readonly DerivedMetric[]

type MetricOf<M> = M extends { readonly name: infer N extends string } ? N : never
type Derived = (typeof DERIVED_METRICS)[number]
type WrittenMetric = MetricOf<Extract<Derived, { readonly isWritten: true }>>

export const WRITTEN_METRICS: readonly string[] = DERIVED_METRICS.flatMap((one) => ('isWritten' in one ? one.name : []))

/** The names of the series of metrics that are computed from facts when they are queried. */
export const FACT_SERIES: readonly string[] = DERIVED_METRICS.flatMap((one) => {
  if ('isWritten' in one) return []
  return one.type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${one.name}_${part}`) : [one.name]
})

/** The present value of a metric that is written. */
export interface DerivedValue {
  readonly name: WrittenMetric
  /** An empty text is an absent label. */
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}
