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
