import { Type } from 'typebox'
import { UPGRADE_SORTS } from '../model/fleet-facts.ts'
import { BLOCK_CAUSES, PHASE_STATES, UPGRADE_OPERATORS, UPGRADE_STATES } from '../model/upgrade.ts'
import {
  listOf,
  MOMENT_PARAMS,
  OrderParam,
  orNull,
  PAGE_PARAMS,
  PAST_FIELD,
  Time,
  wordOf,
  type Shape,
} from './common.ts'

/** The upgrade record in the API: always these fields, `null` where unknown. */

/** Which upgrade: of an operator on a cluster. */
export const UPGRADE_NAME_FIELDS = {
  id: Type.String(),
  cluster: Type.String(),
  operator: wordOf(UPGRADE_OPERATORS),
  from: orNull(Type.String()),
  to: Type.String(),
} as const

export const EvidenceItem = Type.Object({
  source: wordOf(['objects', 'metrics', 'spans']),
  at: Time,
  /** The observation, for display. */
  text: Type.String(),
  /** Its source: an object, a series, a span. */
  ref: Type.String(),
  phase: orNull(Type.String()),
})
export type EvidenceItem = Shape<typeof EvidenceItem>

export const BlockItem = Type.Object({
  cause: wordOf(BLOCK_CAUSES),
  text: Type.String(),
  since: orNull(Time),
  evidence: Type.Array(EvidenceItem),
})
export type BlockItem = Shape<typeof BlockItem>

export const UpgradePhaseItem = Type.Object({
  /** `offered`, `approval`, `olm`, `olm.pending`, ..., `operands.kubevirt`, ..., `workloads`, `platform`. */
  name: Type.String(),
  startedAt: orNull(Time),
  endedAt: orNull(Time),
  state: wordOf(PHASE_STATES),
  resolutionSeconds: Type.Number(),
  /** Reconstructed later from a history instead of observed. */
  reconstructed: Type.Boolean(),
})
export type UpgradePhaseItem = Shape<typeof UpgradePhaseItem>

export const UpgradeItem = Type.Object({
  ...UPGRADE_NAME_FIELDS,
  channel: orNull(Type.String()),
  approval: orNull(wordOf(['Automatic', 'Manual'])),
  state: wordOf(UPGRADE_STATES),
  startedAt: orNull(Time),
  /** Of the control plane; VMs are updated in the phase `workloads`. */
  endedAt: orNull(Time),
  /** Nodes of the cluster at the start, if known: those that run virt-handler; for OpenShift all. */
  nodes: orNull(Type.Integer()),
  phases: Type.Array(UpgradePhaseItem),
  blockedBy: orNull(BlockItem),
  /** Oldest first. */
  evidence: Type.Array(EvidenceItem),
  /** The worst-case precision of start and end. */
  resolutionSeconds: Type.Number(),
})
export type UpgradeItem = Shape<typeof UpgradeItem>

/** An upgrade of an operator: from, to. */
export const EDGE_PARAMS = {
  operator: Type.Optional(wordOf(UPGRADE_OPERATORS)),
  from: Type.Optional(Type.String({ description: 'The version before the upgrade.' })),
  to: Type.Optional(Type.String({ description: 'The target version.' })),
} as const

/** `GET /api/fleet/v1/upgrades`. */
export const UpgradesQuery = Type.Object({
  cluster: Type.Optional(Type.String({ description: 'The name or an alias of a cluster.' })),
  ...EDGE_PARAMS,
  state: Type.Optional(
    Type.Array(wordOf(UPGRADE_STATES), { description: 'Any of these; repeat the parameter for several.' }),
  ),
  startedFrom: Type.Optional(Type.String({ format: 'date-time', description: 'Started at this time or later.' })),
  startedTo: Type.Optional(Type.String({ format: 'date-time', description: 'Started at this time or earlier.' })),
  ...MOMENT_PARAMS,
  sort: Type.Optional(wordOf(UPGRADE_SORTS, 'Sort key; default: `started`.')),
  order: OrderParam,
  ...PAGE_PARAMS,
})

export const UpgradeItems = listOf({
  upgrades: Type.Array(UpgradeItem),
  /** Clusters of this page that are gone: their upgrades stay open in their last state. */
  goneClusters: Type.Array(Type.String()),
})
export type UpgradeItems = Shape<typeof UpgradeItems>

export const WorkloadItem = Type.Object({
  outdatedAtStart: orNull(Type.Integer()),
  outdatedNow: orNull(Type.Integer()),
  startedAt: orNull(Time),
  endedAt: orNull(Time),
  migrations: Type.Object({
    workloadUpdate: orNull(Type.Integer()),
    evacuation: orNull(Type.Integer()),
    other: orNull(Type.Integer()),
    succeeded: orNull(Type.Integer()),
    failed: orNull(Type.Integer()),
    pending: orNull(Type.Integer()),
    running: orNull(Type.Integer()),
    pendingTimeouts: orNull(Type.Integer()),
  }),
  perMinute: orNull(Type.Number()),
  /** The estimated end at that rate. */
  etaAt: orNull(Time),
})
export type WorkloadItem = Shape<typeof WorkloadItem>

export const PhaseBaselineItem = Type.Object({
  phase: Type.String(),
  p50Seconds: Type.Number(),
  p95Seconds: Type.Number(),
  runs: Type.Integer(),
  learnedFrom: wordOf(['edge', 'minor', 'fleet', 'seed']),
  perWave: Type.Boolean(),
  thresholdSeconds: Type.Number(),
})

export const StuckItem = Type.Object({
  stuck: Type.Boolean(),
  phase: orNull(Type.String()),
  phaseSince: orNull(Time),
  stalledSince: orNull(Time),
  /** No report of the cluster since: its progress is unknown. */
  silentSince: orNull(Time),
  baseline: orNull(PhaseBaselineItem),
  /** Most likely first. */
  causes: Type.Array(BlockItem),
})
export type StuckItem = Shape<typeof StuckItem>

/** Of many runs, by the Kaplan-Meier estimator. */
export const DURATION_FIELDS = {
  runs: Type.Integer(),
  /** Of those, censored runs: still open, lost, or ended otherwise. */
  censored: Type.Integer(),
  p50Seconds: orNull(Type.Number()),
  p90Seconds: orNull(Type.Number()),
  p95Seconds: orNull(Type.Number()),
  /** 95 % interval of the median; `null` bounds are open. */
  p50LowSeconds: orNull(Type.Number()),
  p50HighSeconds: orNull(Type.Number()),
} as const

/** `GET /api/fleet/v1/upgrades/{id}/detail`: the details beyond the record. */
export const UpgradeDetailItem = Type.Object({
  asOf: Time,
  ...PAST_FIELD,
  upgrade: UpgradeItem,
  csv: Type.Object({
    name: orNull(Type.String()),
    uid: orNull(Type.String()),
    replaces: orNull(Type.String()),
    steps: Type.Array(
      Type.Object({ phase: Type.String(), reason: Type.String(), startedAt: Time, endedAt: orNull(Time) }),
    ),
  }),
  namespace: orNull(Type.String()),
  subscription: orNull(Type.String()),
  installPlan: orNull(Type.String()),
  components: Type.Array(
    Type.Object({
      name: Type.String(),
      from: orNull(Type.String()),
      to: orNull(Type.String()),
      startedAt: orNull(Time),
      endedAt: orNull(Time),
      state: wordOf(PHASE_STATES),
      message: orNull(Type.String()),
    }),
  ),
  hco: orNull(Type.Object({ startedAt: orNull(Time), endedAt: orNull(Time) })),
  virtHandler: orNull(
    Type.Object({
      desired: Type.Integer(),
      updated: Type.Integer(),
      ready: Type.Integer(),
      waves: Type.Integer(),
      startedAt: orNull(Time),
      canaryAt: orNull(Time),
      endedAt: orNull(Time),
    }),
  ),
  workloads: orNull(WorkloadItem),
  lastProgressAt: orNull(Time),
  observedUntil: Time,
  conditionChanges: Type.Array(
    Type.Object({
      at: Time,
      component: Type.String(),
      type: Type.String(),
      status: Type.String(),
      reason: Type.String(),
    }),
  ),
  featureGateChanges: Type.Array(Type.Object({ at: Time, gate: Type.String(), on: Type.Boolean() })),
  /** For an upgrade that runs or whose workload update is unfinished; `null` when it is over. Never stuck on a gone cluster. */
  verdict: orNull(StuckItem),
  /** Since when its cluster is gone; `null`: it is not gone. */
  clusterGoneSince: orNull(Time),
  /** The trace with its phases as spans; empty until a source reports the start. */
  traceId: Type.String(),
  /**
   * The finished run of this edge closest to the median duration, for comparison; `null`: no other run finished, or the
   * source version is unknown.
   */
  medianRun: orNull(
    Type.Object({ id: Type.String(), cluster: Type.String(), seconds: Type.Number(), traceId: Type.String() }),
  ),
  /** Typical durations of its phases, over all upgrades of `usualFrom`; empty when the source version is unknown. */
  usual: Type.Array(Type.Object({ phase: Type.String(), ...DURATION_FIELDS })),
  /**
   * `edge`: this edge. With fewer than eight runs: `minor`, edges between the same minors, or `fleet`, the operator's
   * newest upgrades.
   */
  usualFrom: orNull(wordOf(['edge', 'minor', 'fleet'])),
})
export type UpgradeDetailItem = Shape<typeof UpgradeDetailItem>

/** `GET /api/fleet/v1/stuck`: upgrades without progress, the longest first. */
export const StuckQuery = Type.Object({
  operator: Type.Optional(wordOf(UPGRADE_OPERATORS)),
  cause: Type.Optional(Type.Array(wordOf(BLOCK_CAUSES), { description: 'The most likely cause is one of these.' })),
  ...MOMENT_PARAMS,
})
export const StuckItems = listOf({
  /** Upgrades that run or whose workload update is unfinished; of these the stuck and the silent ones. */
  open: Type.Integer(),
  stuckCount: Type.Integer(),
  silentCount: Type.Integer(),
  stuck: Type.Array(Type.Object({ upgrade: UpgradeItem, verdict: StuckItem })),
})
export type StuckItems = Shape<typeof StuckItems>
