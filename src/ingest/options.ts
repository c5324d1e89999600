import { CLUSTER_ALIASES } from '../model/cluster-identity.ts'

/** Limits and rules of ingestion. Every limit is inclusive; reaching one is counted and reported to the sender. */
export interface IngestOptions {
  /** Of one request, after decompression. Prometheus' own receiver has the same 32 MiB. */
  readonly decodedBytesMax: number
  /** Of one request. Stock senders put 2,000 into one. */
  readonly samplesPerRequestMax: number
  /** Per request, including series without samples. */
  readonly seriesPerRequestMax: number
  /** Of one OTLP request. Stock senders put some thousands into one. */
  readonly spansPerRequestMax: number
  /** Of a span's name, service, cluster, scope, event or attribute key; UTF-8 bytes. */
  readonly spanNameBytesMax: number
  /** Of an attribute's value, a status message or a trace state; UTF-8 bytes. */
  readonly spanValueBytesMax: number
  /** Of all texts of a span, with its resource and scope; UTF-8 bytes. */
  readonly spanBytesMax: number
  /** Log records per OTLP request, including those that contain an object. */
  readonly logRecordsPerRequestMax: number
  readonly labelsPerSeriesMax: number
  /** UTF-8 bytes. */
  readonly labelNameBytesMax: number
  /** UTF-8 bytes. */
  readonly labelValueBytesMax: number
  /** Buckets of one native histogram, of its positive or of its negative side; its custom bounds, too. */
  readonly histogramBucketsMax: number
  /** How far a sample's time may lie ahead of the clock. A sender with a wrong clock would otherwise fill the future. */
  readonly aheadMsMax: number
  /** Limit for all series. The store enforces it; here it appears in messages to senders. */
  readonly seriesMax: number
  /** Series of one cluster. */
  readonly clusterSeriesMax: number
  /** Series of one cluster that are made in one minute. */
  readonly clusterNewSeriesPerMinuteMax: number
  /** Series of all clusters that are made in one minute. */
  readonly newSeriesPerMinuteMax: number
  /** Labels that name the cluster when `cluster` is absent, first match wins. */
  readonly identityLabels: readonly string[]
  /** A uid, id or other name of a cluster that was not reported for longer is free for another cluster. */
  readonly identityReleaseAfterMs: number
  /** The label that distinguishes the HA replicas of one Prometheus; empty: all replicas are accepted. */
  readonly haReplicaLabel: string
  /** The label that distinguishes several Prometheis of one cluster: each has its own replicas. */
  readonly haGroupLabel: string
  /**
   * Silence of the elected replica before another takes over. Must exceed the pauses between its requests, which are at
   * most half a scrape interval with two replicas: 30 s suffices for scrapes every minute.
   */
  readonly haFailoverAfterMs: number
  /**
   * Label sets recognised by their bytes, 32 bytes of table each at half load; identity-table.ts describes the
   * eviction.
   */
  readonly identityEntriesMax: number
}

export const INGEST_DEFAULTS: IngestOptions = {
  decodedBytesMax: 32 * 1024 * 1024,
  samplesPerRequestMax: 500_000,
  seriesPerRequestMax: 500_000,
  spansPerRequestMax: 100_000,
  spanNameBytesMax: 1024,
  spanValueBytesMax: 16 * 1024,
  spanBytesMax: 64 * 1024,
  logRecordsPerRequestMax: 100_000,
  labelsPerSeriesMax: 64,
  labelNameBytesMax: 1024,
  labelValueBytesMax: 4096,
  histogramBucketsMax: 5000,
  aheadMsMax: 10 * 60_000,
  seriesMax: 5_000_000,
  clusterSeriesMax: 1_000_000,
  clusterNewSeriesPerMinuteMax: 250_000,
  newSeriesPerMinuteMax: 1_000_000,
  identityLabels: CLUSTER_ALIASES,
  identityReleaseAfterMs: 24 * 60 * 60_000,
  haReplicaLabel: 'prometheus_replica',
  haGroupLabel: 'prometheus',
  haFailoverAfterMs: 30_000,
  identityEntriesMax: 1_048_576,
}
