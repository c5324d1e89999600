import { Type, type Static } from 'typebox'

/**
 * `/api/fleet/v1/now`: the landing page in one answer. Lists are whole up to `NOW_LIST_MAX`; counts are always exact.
 */
export const NOW_LIST_MAX = 200

export const ClusterUpgrade = Type.Object({
  cluster: Type.String(),
  /** Operator version it comes from; absent when not known. */
  from: Type.Optional(Type.String()),
  to: Type.String(),
  /** What is seen of the phase: `olm` (CSV not Succeeded), `operands` (KubeVirt versions mixed, HCO behind). */
  phase: Type.Union([Type.Literal('olm'), Type.Literal('operands')]),
  /** Phase and reason of the CSV, when OLM says them. */
  detail: Type.String(),
  startedAtMs: Type.Number(),
  /** When something last moved. */
  lastChangeMs: Type.Number(),
  isStuck: Type.Boolean(),
  /** Why it is called stuck, in one sentence; absent when it is not. */
  cause: Type.Optional(Type.String()),
  /** How exact the times are: the spacing of the samples they were seen in. */
  resolutionSeconds: Type.Number(),
})
export type ClusterUpgrade = Static<typeof ClusterUpgrade>

export const SilentCluster = Type.Object({
  cluster: Type.String(),
  lastSeenMs: Type.Number(),
  version: Type.Optional(Type.String()),
})
export type SilentCluster = Static<typeof SilentCluster>

export const FiringGroup = Type.Object({
  alertname: Type.String(),
  severity: Type.String(),
  healthImpact: Type.String(),
  clusters: Type.Number(),
  alerts: Type.Number(),
  /** One to open when there is only one. */
  fingerprint: Type.String(),
  newestAtMs: Type.Number(),
})
export type FiringGroup = Static<typeof FiringGroup>

export const Now = Type.Object({
  asOfMs: Type.Number(),
  clusters: Type.Object({
    /** Known in the last 24 hours. */
    total: Type.Number(),
    /** With a sample in the last `silentAfterMs`. */
    reporting: Type.Number(),
    silentAfterMs: Type.Number(),
    /** Clusters that report, but not what upgrades are read from: neither good nor bad. */
    unknown: Type.Number(),
  }),
  stuck: Type.Object({ count: Type.Number(), items: Type.Array(ClusterUpgrade), ruleSentence: Type.String() }),
  upgrading: Type.Object({ count: Type.Number(), items: Type.Array(ClusterUpgrade) }),
  firing: Type.Object({
    critical: Type.Number(),
    warning: Type.Number(),
    info: Type.Number(),
    none: Type.Number(),
    pending: Type.Number(),
    groups: Type.Array(FiringGroup),
  }),
  silent: Type.Object({ count: Type.Number(), items: Type.Array(SilentCluster) }),
  versions: Type.Array(Type.Object({ version: Type.String(), clusters: Type.Number() })),
})
export type Now = Static<typeof Now>
