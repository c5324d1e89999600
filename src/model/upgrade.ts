/** The upgrade of one operator of one cluster between two versions. Absent times are unknown. */
export interface Upgrade {
  /** Hash of the cluster and the new CSV's uid; without a CSV, of cluster, operator and both versions and the start. */
  readonly id: string
  readonly cluster: string
  readonly operator: UpgradeOperator
  /** Absent when no source reports it. */
  readonly from?: string
  readonly to: string
  readonly channel?: string
  readonly approval?: 'Automatic' | 'Manual'
  readonly state: UpgradeState
  /** When the new CSV was created (fleet/derive/README.md, Definitions). The offer and the approval are before it. */
  readonly startedMs?: number
  /** Of the control plane: for HCO when `status.versions[operator]` is the target. Absent while it runs, or unknown. */
  readonly endedMs?: number
  /** Nodes of the cluster at the start: those with virt-handler; of OpenShift all. */
  readonly nodes?: number
  /** In the order of `PHASES`; operands by component after `operands`. */
  readonly phases: readonly UpgradePhase[]
  readonly blockedBy?: UpgradeBlock
  /** Oldest first; at a tie by source and text. */
  readonly evidence: readonly Evidence[]
  /** The worst resolution of start and end: 1 for objects, the scrape interval for metrics. Seconds. */
  readonly resolutionSeconds: number
}

/** When an upgrade ran, without its phases and evidence. */
export type UpgradeSpan = Pick<
  Upgrade,
  'id' | 'cluster' | 'operator' | 'from' | 'to' | 'state' | 'startedMs' | 'endedMs' | 'resolutionSeconds'
>

/** HCO by its package's stem; KubeVirt without HCO; the platform. */
export const UPGRADE_OPERATORS = ['kubevirt-hyperconverged', 'kubevirt', 'openshift'] as const
export type UpgradeOperator = (typeof UPGRADE_OPERATORS)[number]

export const UPGRADE_STATES = ['in_progress', 'succeeded', 'failed', 'superseded', 'rolled_back', 'unknown'] as const
export type UpgradeState = (typeof UPGRADE_STATES)[number]

export interface UpgradePhase {
  readonly name: PhaseName
  /** Absent: unknown, or (with state `pending` or `skipped`) never begun. */
  readonly startedMs?: number
  readonly endedMs?: number
  readonly state: PhaseState
  readonly resolutionSeconds: number
  /** Its times were read later from a history (CSV conditions, timestamps in objects). */
  readonly isReconstructed: boolean
}

/** `skipped`: this upgrade has no such phase (same launcher image: no virt-handler). `unknown`: no source reports it. */
export const PHASE_STATES = ['pending', 'in_progress', 'succeeded', 'failed', 'skipped', 'unknown'] as const
export type PhaseState = (typeof PHASE_STATES)[number]

/** The fixed phases, in order; `operands.<component>` follows `operands`, pools (`platform.<pool>`) follow `platform`. */
export const PHASES = [
  'offered',
  'approval',
  'olm',
  'olm.pending',
  'olm.install_ready',
  'olm.installing',
  'operands',
  'virt_handler.canary',
  'virt_handler.waves',
  'settle',
  'workloads',
  'platform',
] as const
export type PhaseName = (typeof PHASES)[number] | `operands.${string}` | `platform.${string}`

export type EvidenceSource = 'objects' | 'metrics' | 'spans'

/** One observation that is evidence about the upgrade. */
export interface Evidence {
  readonly source: EvidenceSource
  readonly atMs: number
  /** The observation, for display: `CSV …v1.17.0 is Installing (InstallSucceeded)`. */
  readonly text: string
  /** Where to look: `clusterserviceversions/<namespace>/<name>`, a series, a span id. */
  readonly ref: string
  readonly phase?: PhaseName
  /** A count or a message that the next report replaces. */
  readonly isReplaced?: true
}

/** Known causes of stuck operators. `unknown`: no signature matches. */
export const BLOCK_CAUSES = [
  'approval_waiting',
  'no_update_offered',
  'resolution_failed',
  'requirements_not_met',
  'not_upgradeable',
  'install_failing',
  'virt_handler_rollout',
  'operand_failing',
  'reconcile_error',
  'workload_method_missing',
  'migrations_pending',
  'migrations_failing',
  'migration_never_ends',
  'node_drain_blocked',
  'pool_degraded',
  'unknown',
] as const
export type BlockCause = (typeof BLOCK_CAUSES)[number]

export interface UpgradeBlock {
  readonly cause: BlockCause
  /** One sentence. */
  readonly text: string
  readonly sinceMs?: number
  /** The evidence, strongest first. */
  readonly evidence: readonly Evidence[]
}

/** The upgrade with what its trace, the stuck detection and its page need beyond the record. */
export interface UpgradeRecord {
  readonly upgrade: Upgrade
  readonly detail: UpgradeDetail
}

export interface UpgradeDetail {
  readonly csvName?: string
  readonly csvUid?: string
  readonly namespace?: string
  readonly subscription?: string
  readonly installPlan?: string
  readonly replaces?: string
  /** The path of the new CSV, oldest first; a repeated phase is a step of its own. */
  readonly csvSteps: readonly {
    readonly phase: string
    readonly reason: string
    readonly startedMs: number
    readonly endedMs?: number
  }[]
  readonly components: readonly ComponentUpgrade[]
  readonly hco?: { readonly startedMs?: number; readonly endedMs?: number }
  readonly virtHandler?: {
    readonly desired: number
    readonly updated: number
    readonly ready: number
    /** Waves needed: one canary, then tenths of the nodes. */
    readonly waves: number
    readonly startedMs?: number
    readonly canaryMs?: number
    readonly endedMs?: number
  }
  readonly workloads?: WorkloadUpdate
  /** OLM held the CSV back until the running upgrade to this version ended; without an end: it still does. */
  readonly waitsFor?: { readonly to: string; readonly untilMs?: number }
  /** The last progress: a phase or node not reached before. */
  readonly lastProgressMs?: number
  /** The newest report of the objects and series from which the record is derived. */
  readonly observedUntilMs: number
  readonly conditionChanges: readonly {
    readonly atMs: number
    /** Component, as in `operands.<component>`, or `hco`. */
    readonly component: string
    readonly type: string
    readonly status: string
    readonly reason: string
  }[]
  readonly featureGateChanges: readonly { readonly atMs: number; readonly gate: string; readonly isOn: boolean }[]
  /** Absent: its start was not observed, or derived before it was recorded. */
  readonly hazardsAtStart?: HazardsAtStart
}

/** Ids of hazards (`model/readiness.ts`) that an upgrade had when it started; of all others the state is not known. */
export interface HazardsAtStart {
  readonly present: readonly string[]
  readonly absent: readonly string[]
}

export interface ComponentUpgrade {
  /** `kubevirt`, `cdi`, `ssp`, `network-addons`, ... */
  readonly name: string
  readonly from?: string
  readonly to?: string
  readonly startedMs?: number
  readonly endedMs?: number
  readonly state: PhaseState
  /** The last condition that reported a fault. */
  readonly message?: string
}

/** The update of VMs to the new launcher: asynchronous and without a bound. */
export interface WorkloadUpdate {
  readonly outdatedAtStart?: number
  readonly outdatedNow?: number
  readonly startedMs?: number
  readonly endedMs?: number
  /** Absent counts are unknown: metrics report only pending and running ones. */
  readonly migrations: {
    readonly workloadUpdate?: number
    readonly evacuation?: number
    readonly other?: number
    readonly succeeded?: number
    readonly failed?: number
    readonly pending?: number
    readonly running?: number
    /** Ended by the 5 minute (unschedulable) or 15 minute (otherwise) limit of being pending. */
    readonly pendingTimeouts?: number
  }
  /** Of gauges: whether a migration was pending or running since the last VM was updated. */
  readonly isAnySeen?: boolean
  /** By metrics: a migration that ran ended since the last VM was updated, so it was not the same one all the time. */
  readonly hasRunEnded?: boolean
  /** Whether an update method is set. Absent: HyperConverged is not reported. */
  readonly hasMethod?: boolean
  /** Outdated VMs updated per minute, recently; absent when unknown. */
  readonly perMinute?: number
  /** When none will be left at that pace; absent when there is no pace. */
  readonly etaMs?: number
}
