import type { Evidence } from './upgrade.ts'

/**
 * Whether a cluster can be upgraded to a version, in the vocabulary of the cluster version operator: `not_recommended` as it
 * says of an update with a known risk. Daytwo advises and blocks nothing.
 */
export const READINESS_VERDICTS = ['ready', 'at_risk', 'not_recommended', 'unknown'] as const
export type ReadinessVerdict = (typeof READINESS_VERDICTS)[number]

/** In the order of the documentation: known hazards of upgrades first, then the present condition of the cluster. */
export const HAZARD_IDS = [
  'json_patch',
  'out_of_band',
  'node_maintenance_operator',
  'nmstate_operator',
  'non_evictable_vms',
  'rwo_volumes',
  'live_migrate_only',
  'empty_update_methods',
  'paused_pool',
  'eus_order',
  'manual_approval',
  'version_skew',
  'migration_retries',
  'descheduler',
  'descheduler_after_upgrade',
  'few_nodes',
  'max_openshift_version',
  'machine_types',
  'deprecated_apis',
  'storage_version',
  'migration_defaults',
  'rollout_race',
  'fail_forward',
  'disruption_budget_alerts',
  'golden_images',
  'operator_unhealthy',
  'not_upgradeable',
  'degraded_pool',
  'nodes',
  'critical_alerts',
  'open_upgrade',
] as const
export type HazardId = (typeof HAZARD_IDS)[number]

/** The verdicts that a hazard may lead to. */
export type RiskVerdict = Extract<ReadinessVerdict, 'at_risk' | 'not_recommended'>

export const TARGET_OPERATORS = ['kubevirt-hyperconverged', 'openshift'] as const

/** A version to upgrade to. */
export interface Target {
  readonly operator: (typeof TARGET_OPERATORS)[number]
  /** Of HCO as the community counts, of the platform as OpenShift counts. */
  readonly version: string
  /** 20 of HCO 1.20; 24 of OpenShift 4.24; 5.0 counts as 4.23. */
  readonly minor: number
  readonly patch: number
}

/** What to do about a hazard. */
export interface HazardFix {
  readonly text: string
  /** For a shell, with every value quoted; absent: no command does it. */
  readonly command?: string
}

/** Without a time of its own: what the last report of the cluster says. Its time would be that of any report, also of another value. */
export type HazardEvidence = Omit<Evidence, 'atMs'> & Partial<Pick<Evidence, 'atMs'>>

/** A hazard that a cluster has. */
export interface PresentHazard {
  readonly state: 'present'
  readonly verdict: RiskVerdict
  /** What was found, in one sentence. */
  readonly text: string
  /** Since when, as far as observed. */
  readonly sinceMs?: number
  readonly evidence: readonly HazardEvidence[]
  readonly fix: HazardFix
}

/** `unknown`: the signal is missing, `text` says which. `not_applicable`: no such hazard on the way to the target. */
export type HazardFinding =
  | PresentHazard
  | { readonly state: 'unknown'; readonly text: string }
  | { readonly state: 'absent' }
  | { readonly state: 'not_applicable' }

export const HAZARD_STATES = ['present', 'absent', 'unknown', 'not_applicable'] as const
export type HazardState = (typeof HAZARD_STATES)[number]

/** A risk that a user accepts on one cluster: it is shown as accepted and does not count in the verdict. */
export interface AcceptedRisk {
  /** One for all clusters of one request. */
  readonly id: string
  readonly cluster: string
  readonly hazard: HazardId
  readonly reason: string
  readonly by: string
  readonly acceptedMs: number
  /** From then on it counts again. */
  readonly expiresMs: number
  readonly withdrawn?: { readonly atMs: number; readonly by: string }
}

/** An alert that fires on a cluster and that the cluster version operator counts as a risk of an update. */
export interface RiskAlert {
  readonly cluster: string
  readonly alertname: string
  readonly severity: string
  readonly firedAtMs: number
}

/** `more_failures`: upgrades with the hazard fail more often. `no_difference`: the hazard does not discriminate. */
export const CALIBRATION_RESULTS = ['more_failures', 'fewer_failures', 'no_difference', 'too_few'] as const
export type CalibrationResult = (typeof CALIBRATION_RESULTS)[number]
