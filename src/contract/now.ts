import { Type, type Static } from 'typebox'
import { BLOCK_CAUSES } from '../model/upgrade.ts'
import { orNull, PAST_FIELD, Time, wordOf } from './fleet-common.ts'
import { PhaseBaselineItem, UPGRADE_OPERATORS } from './fleet-upgrades.ts'

/**
 * `/api/fleet/v1/now`: the landing page in one answer, from the records of clusters and upgrades. Counts are always exact,
 * lists are whole up to `NOW_LIST_MAX`.
 *
 * An open upgrade of a cluster that reports is in one of three lists: `waiting` (for an approval, nothing has begun),
 * `upgrading` (the control plane is under way), `following` (the control plane is done, virtual machines still move).
 * `stuck` are those of them that do not get further, and those that did not when their cluster fell silent. What a silent
 * cluster does now nobody knows, so its other upgrades are in `silent` only.
 */
export const NOW_LIST_MAX = 200

/** An upgrade that is open, as far as a row shows it. The whole record is at `/api/fleet/v1/upgrades/{id}/detail`. */
export const OpenUpgradeItem = Type.Object({
  id: Type.String(),
  cluster: Type.String(),
  operator: wordOf(UPGRADE_OPERATORS),
  from: orNull(Type.String()),
  to: Type.String(),
  /** Where it stands; `null`: it is open, and nothing tells where. */
  phase: orNull(Type.String()),
  phaseSince: orNull(Time),
  /** When half of the finished runs of this edge were through the phase; later, nine in ten; `null`: few runs, or overdue. */
  phaseEndsAt: orNull(Time),
  /** `null`: nothing has begun, or nobody saw it. */
  startedAt: orNull(Time),
  stuck: Type.Boolean(),
  /** Nothing got further since; `null` while it is not stuck. */
  stalledSince: orNull(Time),
  /** How much longer than its threshold it stands still; `null` while it is not stuck, or without a baseline. */
  beyondSeconds: orNull(Type.Number()),
  /** Nothing is heard of its cluster since. */
  silentSince: orNull(Time),
  /** How long this phase may go without getting further. */
  baseline: orNull(PhaseBaselineItem),
  /** What is most likely in the way; `null` while it is not stuck. */
  cause: orNull(Type.Object({ cause: wordOf(BLOCK_CAUSES), text: Type.String() })),
  /** Nodes whose virt-handler is new. */
  nodes: orNull(Type.Object({ updated: Type.Integer(), desired: Type.Integer() })),
  /** Virtual machines whose launcher is still the old one, and when none is left at the present pace. */
  machines: orNull(
    Type.Object({ outdated: Type.Integer(), outdatedAtStart: orNull(Type.Integer()), etaAt: orNull(Time) }),
  ),
  /** How exact start and end are, at worst. */
  resolutionSeconds: Type.Number(),
})
export type OpenUpgradeItem = Static<typeof OpenUpgradeItem>

export const WaitingUpgradeItem = Type.Object({
  id: Type.String(),
  cluster: Type.String(),
  operator: wordOf(UPGRADE_OPERATORS),
  from: orNull(Type.String()),
  to: Type.String(),
  /** When somebody began to be waited for. */
  since: orNull(Time),
  channel: orNull(Type.String()),
  /** What is to be approved: namespace and name of the InstallPlan, as far as they are told. */
  namespace: orNull(Type.String()),
  installPlan: orNull(Type.String()),
  /** It waits for longer than anybody should have to. */
  stuck: Type.Boolean(),
})
export type WaitingUpgradeItem = Static<typeof WaitingUpgradeItem>

export const SilentClusterItem = Type.Object({
  cluster: Type.String(),
  lastSeenAt: Time,
  version: orNull(Type.String()),
  /** Open when it fell silent. */
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
export type SilentClusterItem = Static<typeof SilentClusterItem>

export const FiringGroup = Type.Object({
  alertname: Type.String(),
  severity: Type.String(),
  healthImpact: Type.String(),
  clusters: Type.Integer(),
  alerts: Type.Integer(),
  /** One to open when there is only one. */
  fingerprint: Type.String(),
  newestAt: Time,
})
export type FiringGroup = Static<typeof FiringGroup>

const share = Type.Object({ succeeded: Type.Integer(), of: Type.Integer() })

/**
 * An edge on which fewer upgrades succeed: of those that ended in the last fortnight clearly fewer than of those that ended
 * before on the same edge (`before`), or in the same fortnight on the other edges to the same version (`other_edges`).
 * Clearly: at least ten ended on both sides, and Newcombe's 95 % interval of the difference is below nought, which is also
 * what `/api/fleet/v1/edges/compare` calls `worse`. Ended are those that succeeded, failed, or were rolled back.
 */
export const FallingEdgeItem = Type.Object({
  operator: wordOf(UPGRADE_OPERATORS),
  from: Type.String(),
  to: Type.String(),
  /** Ended in the last fortnight. */
  lately: share,
  against: wordOf(['before', 'other_edges']),
  /** What `lately` is held against. */
  other: share,
  difference: Type.Object({ difference: Type.Number(), low: Type.Number(), high: Type.Number() }),
})
export type FallingEdgeItem = Static<typeof FallingEdgeItem>

const countOf = <T extends typeof OpenUpgradeItem | typeof WaitingUpgradeItem | typeof SilentClusterItem>(item: T) =>
  ({ count: Type.Integer(), items: Type.Array(item) }) as const

export const Now = Type.Object({
  asOf: Time,
  ...PAST_FIELD,
  /** How far what clusters sent is worked into this answer. */
  derivation: Type.Object({
    /** All that was received until then is; `null`: not yet since the start of the server. */
    caughtUpAt: orNull(Time),
    /** Clusters that sent something that is not. */
    waiting: Type.Integer(),
    /** Days of adoption that are still to be counted, or anew: of a large fleet it takes minutes. */
    daysToCount: Type.Integer(),
  }),
  clusters: Type.Object({
    total: Type.Integer(),
    /** Something came lately on one of its ways. */
    reporting: Type.Integer(),
    silent: Type.Integer(),
    /** Of those that report: they tell no version of any operator, so that nothing can be said of upgrades. */
    unknown: Type.Integer(),
    /** Switched off for good, and in none of the other numbers; see `/api/fleet/v1/decommissions`. */
    gone: Type.Integer(),
    /** Of all, by the way they are heard of; some are heard of in several. */
    withObjects: Type.Integer(),
    withMetrics: Type.Integer(),
    withSpans: Type.Integer(),
    /** Without a word on any of its ways for so long a cluster is silent. */
    silentAfterSeconds: Type.Object({ metrics: Type.Integer(), objects: Type.Integer() }),
    /** Of what clusters sent last: the newest, and the oldest of those that report. */
    newestAt: orNull(Time),
    oldestAt: orNull(Time),
  }),
  /** The one that is furthest beyond its threshold first. */
  stuck: Type.Object(countOf(OpenUpgradeItem)),
  /** Stuck ones first, then the one that got further longest ago. */
  upgrading: Type.Object({
    ...countOf(OpenUpgradeItem),
    /** In the order of an upgrade; `null`: nothing tells the phase. */
    byPhase: Type.Array(Type.Object({ phase: orNull(Type.String()), count: Type.Integer(), stuck: Type.Integer() })),
  }),
  /** In the same order; `machines` are the outdated ones of all of them that are told. */
  following: Type.Object({ ...countOf(OpenUpgradeItem), machines: Type.Integer() }),
  /** The one that waits longest first. */
  waiting: Type.Object(countOf(WaitingUpgradeItem)),
  /** Those with an open upgrade first, then the one that was heard last. */
  silent: Type.Object(countOf(SilentClusterItem)),
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
    /** Clusters that report: the denominator. */
    of: Type.Integer(),
    /** Of these, those that say no version. */
    untold: Type.Integer(),
    items: Type.Array(Type.Object({ version: Type.String(), clusters: Type.Integer() })),
  }),
  /** The largest fall first. */
  fallingEdges: Type.Object({ count: Type.Integer(), items: Type.Array(FallingEdgeItem) }),
  /** What the server itself cannot do, by which the rest may be old or not whole; `null`: of the past, nobody knows. */
  faults: orNull(
    Type.Object({
      /** Nothing that arrives can be written: it is refused, and senders repeat it. `null`: all is written. */
      storage: orNull(
        Type.Object({
          since: Time,
          code: wordOf(['storage_full', 'storage_failed']),
          /** What the operating system or SQLite says. */
          message: Type.String(),
          /** Of the disk that the store is on; both 0: its folder is not there. */
          freeBytes: Type.Integer(),
          sizeBytes: Type.Integer(),
        }),
      ),
      /** Rules whose last evaluation failed; which: `failing` in `/api/fleet/v1/alerts`. */
      failingRules: Type.Integer(),
    }),
  ),
})
export type Now = Static<typeof Now>
