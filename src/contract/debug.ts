import { Type } from 'typebox'
import type { Shape } from './common.ts'

/**
 * `/debug/ingest`: the outcome of received samples (OTLP: data points, spans and log records) since the start of the
 * process. Lists have at most `?top=` entries, 20 by default, never more than `DEBUG_INGEST_TOP_MAX`.
 */
export const DEBUG_INGEST_TOP_MAX = 1000

const ClusterActivity = Type.Object({
  /** Empty: series without a cluster. */
  cluster: Type.String(),
  taken: Type.Number(),
  refused: Type.Number(),
  /** From standby HA replicas: another replica delivers the same. */
  duplicate: Type.Number(),
  heardMs: Type.Number(),
})

export const DebugIngest = Type.Object({
  asOfMs: Type.Number(),
  /** By reason, each with its last examples, newest first. */
  refusals: Type.Array(
    Type.Object({
      reason: Type.String(),
      /** Samples and histograms (OTLP: data points, spans and log records); a body that cannot be decoded counts as one. */
      count: Type.Number(),
      requests: Type.Number(),
      lastMs: Type.Number(),
      examples: Type.Array(
        Type.Object({
          timeMs: Type.Number(),
          /** The cluster that the sender's token is bound to. */
          boundCluster: Type.Optional(Type.String()),
          count: Type.Number(),
          text: Type.String(),
        }),
      ),
    }),
  ),
  clusters: Type.Object({
    count: Type.Number(),
    bySamples: Type.Array(ClusterActivity),
    byRefused: Type.Array(ClusterActivity),
  }),
  /** Names that senders claim for their clusters: stored claims, names joined into another, refused claims since the start. */
  identities: Type.Object({
    claims: Type.Number(),
    joined: Type.Number(),
    refused: Type.Object({
      other_identity: Type.Number(),
      taken: Type.Number(),
      too_many: Type.Number(),
      /** How often data of a cluster came that is not remembered, because there are too many. */
      too_many_clusters: Type.Number(),
    }),
  }),
  /** How often each rule of `privacy.config` applied since it was loaded, to label sets, attributes or fields of objects. */
  privacy: Type.Array(Type.Object({ rule: Type.String(), dropped: Type.Number() })),
  /** Limits on stored data and their usage; of a limit per cluster, the cluster closest to it. */
  limits: Type.Array(
    Type.Object({
      option: Type.String(),
      max: Type.Number(),
      used: Type.Number(),
      cluster: Type.Optional(Type.String()),
    }),
  ),
  /** The elected replica of each pair; the last change first. */
  replicas: Type.Object({
    pairs: Type.Number(),
    elections: Type.Array(
      Type.Object({
        cluster: Type.String(),
        group: Type.String(),
        replica: Type.String(),
        sinceMs: Type.Number(),
        heardMs: Type.Number(),
        failovers: Type.Number(),
        standbys: Type.Array(
          Type.Object({ replica: Type.String(), heardMs: Type.Number(), samplesDropped: Type.Number() }),
        ),
      }),
    ),
  }),
})
export type DebugIngest = Shape<typeof DebugIngest>

/** `GET /debug/notify`: each group with the last notification decision about each of its alerts, and the reason. */
export const DebugNotify = Type.Object({
  asOfMs: Type.Number(),
  /** The name of the configuration file, if any. */
  configFile: Type.Optional(Type.String()),
  groups: Type.Array(
    Type.Object({
      groupKey: Type.String(),
      receiver: Type.String(),
      labels: Type.Record(Type.String(), Type.String()),
      nextFlushMs: Type.Number(),
      mutedBy: Type.Array(Type.String()),
      alerts: Type.Array(
        Type.Object({
          fingerprint: Type.String(),
          alertname: Type.String(),
          state: Type.String(),
          sends: Type.Boolean(),
          reason: Type.String(),
          atMs: Type.Number(),
        }),
      ),
    }),
  ),
})
export type DebugNotify = Shape<typeof DebugNotify>

const DebugRule = Type.Object({
  name: Type.String(),
  kind: Type.Union([Type.Literal('alerting'), Type.Literal('recording')]),
  /** The formatted expression. */
  query: Type.String(),
  /** `unknown` until the first evaluation. */
  health: Type.Union([Type.Literal('ok'), Type.Literal('err'), Type.Literal('unknown')]),
  lastError: Type.Optional(Type.String()),
  warnings: Type.Array(Type.String()),
  evaluationMs: Type.Number(),
  lastEvaluationMs: Type.Optional(Type.Number()),
  /** Samples the last evaluation wrote, stale markers apart. */
  lastSamples: Type.Number(),
  /** The number of alerts of an alerting rule, by state. */
  alerts: Type.Optional(Type.Object({ pending: Type.Number(), firing: Type.Number() })),
})

/**
 * `/debug/rules`: the status of evaluation. Groups in the order of their files; times are milliseconds since the epoch,
 * durations milliseconds.
 */
export const DebugRules = Type.Object({
  asOfMs: Type.Number(),
  /** The last reload of rules, runbooks and dashboards. */
  reload: Type.Object({
    isSuccessful: Type.Boolean(),
    /** When the content in use was read. */
    lastSuccessMs: Type.Number(),
    lastAttemptMs: Type.Optional(Type.Number()),
    /** `request`, `signal` or `files`; absent: no reload since the start. */
    cause: Type.Optional(Type.String()),
    /** With the carets. */
    error: Type.Optional(Type.String()),
  }),
  groups: Type.Array(
    Type.Object({
      name: Type.String(),
      file: Type.String(),
      intervalMs: Type.Number(),
      limit: Type.Number(),
      queryOffsetMs: Type.Number(),
      evaluationMs: Type.Number(),
      lastEvaluationMs: Type.Optional(Type.Number()),
      /** Absent: no `for`. */
      nextEvaluationMs: Type.Optional(Type.Number()),
      /** Skipped evaluations since the start. */
      missed: Type.Number(),
      rules: Type.Array(DebugRule),
    }),
  ),
})
export type DebugRules = Shape<typeof DebugRules>

/**
 * `/debug/series`: cardinality of the series in the index, which excludes series without a sample in the retention. Lists
 * have at most `?top=` entries, largest first, 20 by default, never more than `DEBUG_SERIES_TOP_MAX`; `?by=` names the
 * label of the last list, `cluster` by default.
 */
export const DEBUG_SERIES_TOP_MAX = 1000

const ByValue = Type.Object({
  /** The total number of values. */
  count: Type.Number(),
  top: Type.Array(
    Type.Object({
      value: Type.String(),
      series: Type.Number(),
      /** The number of these that are new since `sinceMs`. */
      added: Type.Number(),
    }),
  ),
  /** Clusters with the most new series since `sinceMs`; only those with any. */
  growing: Type.Array(Type.Object({ value: Type.String(), series: Type.Number(), added: Type.Number() })),
})

export const DebugSeries = Type.Object({
  asOfMs: Type.Number(),
  series: Type.Number(),
  /** Series that are new since `sinceMs`. */
  added: Type.Number(),
  /** An hour before, or the start of the server if that is later. */
  sinceMs: Type.Number(),
  metrics: ByValue,
  labels: Type.Object({
    count: Type.Number(),
    top: Type.Array(Type.Object({ name: Type.String(), values: Type.Number(), series: Type.Number() })),
  }),
  by: Type.Object({ label: Type.String(), values: ByValue }),
})
export type DebugSeries = Shape<typeof DebugSeries>
