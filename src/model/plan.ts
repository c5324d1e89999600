/**
 * The plan of an upgrade: for each cluster the steps from what is observed to the target, and for all of them the time that
 * waves of clusters take. Daytwo plans and never acts. Absent: unknown.
 */

/** What a step does. `approve_install_plan`, `make_evictable`, `stop_vms` and `start_vms` are in some plans only. */
export const STEP_KINDS = [
  'make_evictable',
  'stop_vms',
  'pause_pools',
  'disable_workload_updates',
  'approve_install_plan',
  'upgrade_hco',
  'upgrade_openshift',
  'restore_workload_updates',
  'unpause_pools',
  'start_vms',
  'update_vms',
] as const
export type StepKind = (typeof STEP_KINDS)[number]

/** `done`: observed. `unknown`: no data source reports whether it is done. */
export const STEP_STATES = ['done', 'todo', 'unknown'] as const
export type StepState = (typeof STEP_STATES)[number]

/**
 * What the duration of a step is from. `upgrades`: measured upgrades. `workload_updates`: measured updates of VMs.
 * `assumed`: limits of live migration and an assumed time per migration. `none`: nothing of the step is counted: a
 * command, or a person. `unknown`: too little was measured.
 */
export const WINDOW_SOURCES = ['upgrades', 'workload_updates', 'assumed', 'none', 'unknown'] as const

/** The duration of a step. */
export interface StepWindow {
  readonly source: (typeof WINDOW_SOURCES)[number]
  /** Absent: the estimate does not reach it, or the source is `none` or `unknown`. */
  readonly p50Seconds?: number
  readonly p90Seconds?: number
  /** Runs of the estimate; of those, unfinished or failed ones are censored. */
  readonly runs: number
  readonly censored: number
  /** The group of runs: this path, paths between the same minors, all paths of the operator. Absent: nothing was measured. */
  readonly learnedFrom?: 'edge' | 'minor' | 'fleet'
  /** What the estimate is from, in one sentence. */
  readonly basis: string
}

export interface PlanStep {
  readonly kind: StepKind
  readonly title: string
  readonly state: StepState
  /** Versions, or minors where no version is known. */
  readonly from?: string
  readonly to?: string
  /** What has to hold before the step. */
  readonly precondition: string
  /** For a POSIX shell that is logged in to the cluster; empty: nothing to run. */
  readonly commands: readonly string[]
  /** The step is done when the command prints what is expected. */
  readonly check: { readonly command: string; readonly expected: string }
  /** How to go back, or what to do when the step fails. */
  readonly onFailure: string
  readonly window: StepWindow
}

/**
 * `path`: there are steps. `finish`: the target is installed, and steps of an earlier plan are left. `at_target`: nothing
 * is left. `target_older`: a newer version is installed. `no_path`: no supported path. `unknown`: the versions are not reported.
 */
export const PLAN_OUTCOMES = ['path', 'finish', 'at_target', 'target_older', 'no_path', 'unknown'] as const
export type PlanOutcome = (typeof PLAN_OUTCOMES)[number]

export const BLOCKER_SEVERITIES = ['blocking', 'warning', 'unknown'] as const

/** Something to resolve before the first step, or to know. `blocking`: the plan fails or stops when it is not resolved. */
export interface PlanBlocker {
  readonly name: string
  readonly severity: (typeof BLOCKER_SEVERITIES)[number]
  readonly text: string
  readonly fix: string
  readonly command?: string
}

export interface ClusterPlan {
  readonly cluster: string
  readonly outcome: PlanOutcome
  /** One sentence: the path, or why there is none. */
  readonly summary: string
  readonly installed?: string
  readonly platform?: string
  readonly nodes?: number
  readonly vms?: number
  /** Blocking ones first. */
  readonly blockers: readonly PlanBlocker[]
  readonly steps: readonly PlanStep[]
  /** Of all steps that are not done, one after the other, without waiting for approvals and commands. */
  readonly total: PlanTotal
}

export interface PlanTotal {
  readonly p50Seconds?: number
  readonly p90Seconds?: number
  /** Steps of unknown duration, which the sum leaves out: the total is a lower bound. */
  readonly unknownSteps: number
}

/** A wave: clusters that are upgraded at the same time. The next wave starts when all of them are done. */
export interface PlanWave {
  readonly clusters: readonly string[]
  /** Absent: not within the horizon of the simulation. */
  readonly startP50Ms?: number
  readonly startP90Ms?: number
  readonly endP50Ms?: number
  readonly endP90Ms?: number
}

export interface PlanSchedule {
  readonly startMs: number
  readonly clustersAtOnce: number
  /** As given; empty: any time. */
  readonly windows: readonly string[]
  readonly timeZone: string
  readonly waves: readonly PlanWave[]
  /** When the last wave is done; absent: not within the horizon. */
  readonly endP50Ms?: number
  readonly endP90Ms?: number
  /** Steps of unknown duration, over all clusters: the end is a lower bound. */
  readonly unknownSteps: number
  /** Steps whose p90 is longer than the longest maintenance window: they run on after its end. */
  readonly overlongSteps: number
  /** Draws of the simulation. */
  readonly draws: number
}

export interface FleetPlan {
  readonly target: string
  /** Clusters of the selection. */
  readonly selected: number
  readonly outcomes: Readonly<Record<PlanOutcome, number>>
  /** Clusters with a blocking hazard. */
  readonly blocked: number
  /** The first ones, in the order of the waves; then those without steps. */
  readonly clusters: readonly ClusterPlan[]
  readonly schedule: PlanSchedule
}
