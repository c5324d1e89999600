import { Type } from 'typebox'
import { SILENCE_CAUSES } from '../model/cluster-silence.ts'
import { SUPERVISED_THREADS, THREAD_FAULT_STATES } from '../model/server-fault.ts'
import { BLOCK_CAUSES, UPGRADE_OPERATORS } from '../model/upgrade.ts'
import { orNull, PAST_FIELD, Time, wordOf, type Shape } from './common.ts'
import { PhaseBaselineItem, UPGRADE_NAME_FIELDS } from './fleet-upgrades.ts'

/**
 * `/api/fleet/v1/now`: the landing page in one answer, from the records of clusters and upgrades. Counts are exact; lists
 * are complete up to `NOW_LIST_MAX`.
 *
 * An open upgrade of a reporting cluster is in one of three lists: `waiting` (pending approval), `upgrading` (the control
 * plane is being updated), `following` (the control plane is done, the workload update is not). `stuck` has those without
 * progress, also those whose cluster fell silent later. The state of a silent cluster is unknown, so its other upgrades
 * are in `silent` only.
 */
export const NOW_LIST_MAX = 200

/** An open upgrade, with the fields of a row. The whole record is at `/api/fleet/v1/upgrades/{id}/detail`. */
export const OpenUpgradeItem = Type.Object({
  ...UPGRADE_NAME_FIELDS,
  /** The current phase; `null`: unknown. */
  phase: orNull(Type.String()),
  phaseSince: orNull(Time),
  /** The p50 end of the phase by the finished runs of this edge; later p90; `null`: few runs, or overdue. */
  phaseEndsAt: orNull(Time),
  /** `null`: not started, or the start was not seen. */
  startedAt: orNull(Time),
  stuck: Type.Boolean(),
  /** No progress since; `null` while it is not stuck. */
  stalledSince: orNull(Time),
  /** Time without progress beyond the threshold; `null` while it is not stuck, or without a baseline. */
  beyondSeconds: orNull(Type.Number()),
  /** No report of its cluster since. */
  silentSince: orNull(Time),
  /** The threshold of this phase without progress. */
  baseline: orNull(PhaseBaselineItem),
  /** The most likely cause; `null` while it is not stuck. */
  cause: orNull(Type.Object({ cause: wordOf(BLOCK_CAUSES), text: Type.String() })),
  /** Nodes with the new virt-handler. */
  nodes: orNull(Type.Object({ updated: Type.Integer(), desired: Type.Integer() })),
  /** VMs with an outdated launcher, and the estimated end at the current rate. */
  machines: orNull(
    Type.Object({ outdated: Type.Integer(), outdatedAtStart: orNull(Type.Integer()), etaAt: orNull(Time) }),
  ),
  /** The worst-case precision of start and end. */
  resolutionSeconds: Type.Number(),
})
export type OpenUpgradeItem = Shape<typeof OpenUpgradeItem>

export const WaitingUpgradeItem = Type.Object({
  ...UPGRADE_NAME_FIELDS,
  /** The start of the wait for approval. */
  since: orNull(Time),
  channel: orNull(Type.String()),
  /** The InstallPlan to approve: namespace and name, as far as reported. */
  namespace: orNull(Type.String()),
  installPlan: orNull(Type.String()),
  /** Pending for longer than the threshold. */
  stuck: Type.Boolean(),
})
export type WaitingUpgradeItem = Shape<typeof WaitingUpgradeItem>

export const SilentClusterItem = Type.Object({
  cluster: Type.String(),
  lastSeenAt: Time,
  /** Why; `null`: it was never seen. */
  cause: orNull(wordOf(SILENCE_CAUSES)),
  version: orNull(Type.String()),
  /** The upgrade that was open when it fell silent. */
  upgrade: orNull(
    Type.Object({
      id: Type.String(),
      from: orNull(Type.String()),
      to: Type.String(),
      phase: orNull(Type.String()),
      stuck: Type.Boolean(),
    }),
  ),
})
export type SilentClusterItem = Shape<typeof SilentClusterItem>

export const FiringGroup = Type.Object({
  alertname: Type.String(),
  severity: Type.String(),
  healthImpact: Type.String(),
  clusters: Type.Integer(),
  alerts: Type.Integer(),
  /** The alert, when there is only one. */
  fingerprint: Type.String(),
  newestAt: Time,
})
export type FiringGroup = Shape<typeof FiringGroup>

const share = Type.Object({ succeeded: Type.Integer(), of: Type.Integer() })

/**
 * A regressing upgrade path: of its upgrades that ended in the last fortnight clearly fewer succeeded than of those that
 * ended before on the same edge (`before`), or in the same fortnight on the other edges to the same version
 * (`other_edges`). Clearly: at least ten ended on both sides, and Newcombe's 95 % interval of the difference is below 0;
 * `/api/fleet/v1/edges/compare` calls that `worse`. Ended: succeeded, failed, or rolled back.
 */
export const FallingEdgeItem = Type.Object({
  operator: wordOf(UPGRADE_OPERATORS),
  from: Type.String(),
  to: Type.String(),
  /** Ended in the last fortnight. */
  lately: share,
  against: wordOf(['before', 'other_edges']),
  /** The comparison for `lately`. */
  other: share,
  difference: Type.Object({ difference: Type.Number(), low: Type.Number(), high: Type.Number() }),
})
export type FallingEdgeItem = Shape<typeof FallingEdgeItem>

const countOf = <T extends typeof OpenUpgradeItem | typeof WaitingUpgradeItem | typeof SilentClusterItem>(item: T) =>
  ({ count: Type.Integer(), items: Type.Array(item) }) as const

export const Now = Type.Object({
  asOf: Time,
  ...PAST_FIELD,
  /** The progress of the derivation of facts from received data. */
  derivation: Type.Object({
    /** All data received until then is derived; `null`: not yet since the start of the server. */
    caughtUpAt: orNull(Time),
    /** Clusters with data that is not derived yet. */
    waiting: Type.Integer(),
    /** Days of adoption that remain to be counted or recounted: minutes on a large fleet. */
    daysToCount: Type.Integer(),
  }),
  clusters: Type.Object({
    total: Type.Integer(),
    /** Clusters with a recent report from any data source. */
    reporting: Type.Integer(),
    silent: Type.Integer(),
    /** Reporting clusters without the version of any operator, so that their upgrades are unknown. */
    unknown: Type.Integer(),
    /** Decommissioned clusters, excluded from all other numbers; see `/api/fleet/v1/decommissions`. */
    gone: Type.Integer(),
    /** All clusters by data source; some have several. */
    withObjects: Type.Integer(),
    withMetrics: Type.Integer(),
    withSpans: Type.Integer(),
    /** A cluster without a report from any data source for longer is silent. */
    silentAfterSeconds: Type.Object({ metrics: Type.Integer(), objects: Type.Integer() }),
    /** The newest of the clusters' last reports, and the oldest of those of reporting clusters. */
    newestAt: orNull(Time),
    oldestAt: orNull(Time),
  }),
  /** The furthest beyond its threshold first. */
  stuck: Type.Object(countOf(OpenUpgradeItem)),
  /** Stuck ones first, then by the oldest progress. */
  upgrading: Type.Object({
    ...countOf(OpenUpgradeItem),
    /** In the order of an upgrade; `null`: the phase is unknown. */
    byPhase: Type.Array(Type.Object({ phase: orNull(Type.String()), count: Type.Integer(), stuck: Type.Integer() })),
  }),
  /** In the same order; `machines` is the sum of the reported outdated VMs. */
  following: Type.Object({ ...countOf(OpenUpgradeItem), machines: Type.Integer() }),
  /** The longest wait first. */
  waiting: Type.Object(countOf(WaitingUpgradeItem)),
  /** Those with an open upgrade first, then by the newest report. */
  silent: Type.Object({
    ...countOf(SilentClusterItem),
    /** Silent clusters by cause, the most frequent first. */
    byCause: Type.Array(Type.Object({ cause: wordOf(SILENCE_CAUSES), count: Type.Integer() })),
    /** Reporting clusters with one silent data source, by cause. */
    oneSource: Type.Array(Type.Object({ cause: wordOf(SILENCE_CAUSES), count: Type.Integer() })),
  }),
  firing: Type.Object({
    critical: Type.Integer(),
    warning: Type.Integer(),
    info: Type.Integer(),
    none: Type.Integer(),
    pending: Type.Integer(),
    groups: Type.Array(FiringGroup),
  }),
  /** Of HCO, and of KubeVirt where there is no HCO; newest first. */
  versions: Type.Object({
    /** Reporting clusters: the denominator. */
    of: Type.Integer(),
    /** Of these, clusters without a reported version. The name is published, and clients of the API read it. */
    untold: Type.Integer(),
    items: Type.Array(Type.Object({ version: Type.String(), clusters: Type.Integer() })),
  }),
  /** The largest decline first. */
  fallingEdges: Type.Object({ count: Type.Integer(), items: Type.Array(FallingEdgeItem) }),
  /** Faults of the server, due to which the answer may be stale or incomplete; `null` for a past moment. */
  faults: orNull(
    Type.Object({
      /** Received data cannot be written: it is refused, and senders retry. `null`: no fault. */
      storage: orNull(
        Type.Object({
          since: Time,
          code: wordOf(['storage_full', 'storage_failed']),
          /** The message of the operating system or SQLite. */
          message: Type.String(),
          /** Of the store's disk; both 0: its folder does not exist. */
          freeBytes: Type.Integer(),
          sizeBytes: Type.Integer(),
        }),
      ),
      /** Stored data that cannot be read, and is left out of every response. `null`: none. */
      damage: orNull(
        Type.Object({
          count: Type.Integer(),
          /** The oldest and the newest time of samples that may be missing; `null`: none are, as far as known. */
          from: orNull(Time),
          to: orNull(Time),
          /** The table of the first damaged item, and how the damage shows. */
          kind: Type.String(),
          message: Type.String(),
        }),
      ),
      /** The number of rules whose last evaluation failed; `failing` in `/api/fleet/v1/alerts` lists them. */
      failingRules: Type.Integer(),
      /** Worker threads that do not serve, or fail again and again. They are started again without anybody's doing. */
      threads: Type.Array(
        Type.Object({
          thread: wordOf(SUPERVISED_THREADS),
          state: wordOf(THREAD_FAULT_STATES),
          /** Whether it serves at present: true only in a crash loop. */
          serving: Type.Boolean(),
          /** Since when it serves, or does not. */
          since: Time,
          /** In a row. */
          failures: Type.Integer(),
          /** The last failure. */
          cause: Type.String(),
          /** When it is started the next time; `null`: at once, or it is running. */
          nextStart: orNull(Time),
        }),
      ),
      /** Why the metrics store answers no queries. `null`: it answers, or there is none. */
      metricsStore: orNull(Type.String()),
      /** PostgreSQL does not take the heartbeats of this server: facts are not written, rules not evaluated. `null`: no fault. */
      postgres: orNull(Type.Object({ since: Time, message: Type.String() })),
      /** Processes of the deployment whose heartbeats stopped. */
      silentProcesses: Type.Array(
        Type.Object({
          name: Type.String(),
          since: Time,
          /** Samples that were not in the metrics store at the last heartbeat; `null`: unknown, or there is no such store. */
          lagSamples: orNull(Type.Integer()),
        }),
      ),
      /** Processes whose samples this server does not have, because `store.metrics` is not set. */
      apart: Type.Array(Type.String()),
    }),
  ),
})
export type Now = Shape<typeof Now>
