import { Type, type Static } from 'typebox'

/**
 * `/debug/ingest`: what became of the samples (of OTLP, data points, spans and log records) that senders brought, since the start of the process.
 * Lists have at most `?top=` entries, 20 when it does not say, never more than `DEBUG_INGEST_TOP_MAX`.
 */
export const DEBUG_INGEST_TOP_MAX = 1000

const ClusterActivity = Type.Object({
  /** Empty: series without a cluster. */
  cluster: Type.String(),
  taken: Type.Number(),
  refused: Type.Number(),
  /** Of HA replicas that stand by: another one delivers the same. */
  duplicate: Type.Number(),
  heardMs: Type.Number(),
})

export const DebugIngest = Type.Object({
  asOfMs: Type.Number(),
  /** By reason; of each the last examples, newest first. */
  refusals: Type.Array(
    Type.Object({
      reason: Type.String(),
      /** Samples and histograms, of OTLP data points, spans and log records; of a body that could not be read, the body. */
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
  /** Limits on what is kept, and how near they are; of limits on a cluster, the one that is nearest. */
  limits: Type.Array(
    Type.Object({
      option: Type.String(),
      max: Type.Number(),
      used: Type.Number(),
      cluster: Type.Optional(Type.String()),
    }),
  ),
  /** Which replica of each pair is listened to; the last change first. */
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
export type DebugIngest = Static<typeof DebugIngest>
