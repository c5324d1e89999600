import { CLUSTER_ALIASES, CLUSTER_LABEL } from '../model/cluster-identity.ts'

/** Options of the store. All but the directory have defaults, which `config.ts` fills in. */
export interface StoreOptions {
  /** Where `daytwo.db` lives; made with mode 0700 when absent. One server at a time. */
  readonly dir: string
  /** Samples older than this are refused, and removed in steps of one flush. */
  readonly retentionRawMs: number
  /** Retention of rollups of five minutes, an hour and a day; 0: none are made. */
  readonly retention5mMs: number
  readonly retention1hMs: number
  readonly retention1dMs: number
  /** Retention of traces after their end, and of derived traces after their derivation. */
  readonly retentionTracesMs: number
  /** Of one trace; more are refused. Bytes are those of its text. */
  readonly spansPerTraceMax: number
  readonly bytesPerTraceMax: number
  /** Log records from before this are removed. */
  readonly retentionLogsMs: number
  /** States of objects that ended before this, and runs of metrics, are removed. */
  readonly retentionObjectsMs: number
  /** States of objects of one cluster; beyond it the oldest are removed, and new objects refused when that is not enough. */
  readonly clusterObjectStatesMax: number
  /**
   * The maximum age of a late sample relative to the newest sample of its series. 0: late samples are rejected. The
   * head holds at least this window, so that repeats and contradictions are always recognised.
   */
  readonly outOfOrderMs: number
  /** The head is flushed into chunks each time this much more has become old enough. */
  readonly flushEveryMs: number
  /** The head is flushed before time when the log has grown by this much since the last flush: a restart reads all of it. */
  readonly flushLogBytes: number
  /**
   * A checkpoint of the head is written after this growth of the log, at most once per `checkpointEveryMs`, so that a
   * start reads the log only from there. The log itself stays.
   */
  readonly checkpointLogBytes: number
  readonly checkpointEveryMs: number
  /** Widths of the blocks that flushes are compacted to, rising, each a multiple of the one before. */
  readonly compactToMs: readonly number[]
  /** Limit for series in memory, those with samples; beyond it `resolve` returns `undefined`. */
  readonly seriesMax: number
  /** Above this the writer sets `isOverloaded` and flushes early. Bytes of samples in shared memory, without labels. */
  readonly headBytesMax: number
  /** Appended but not durable; grows only while commits fail. Above this the writer sets `isOverloaded`. */
  readonly pendingBytesMax: number
  /** Log rows that are not forwarded yet; above this the writer refuses requests. Undefined: nothing is forwarded. */
  readonly forwardBufferBytesMax: number | undefined
  /** Exemplars of all series; 0: none are stored. The oldest are evicted. */
  readonly exemplarsMax: number
  /** Exemplars of one series; at least 1. */
  readonly exemplarsPerSeriesMax: number
  /** Labels that name the cluster of a series: with these, the series of a cluster that is erased are found. */
  readonly clusterLabels: readonly string[]
  /** Changes of observations, spans and log records are logged, because others ship them. */
  readonly isShipping: boolean
  /** The most the database file may take; beyond it commits fail with `storage_full`, as on a full disk. */
  readonly databaseBytesMax: number
}

const HOUR_MS = 3_600_000

export const STORE_DEFAULTS: Omit<StoreOptions, 'dir'> = {
  retentionRawMs: 30 * 24 * HOUR_MS,
  retention5mMs: 90 * 24 * HOUR_MS,
  retention1hMs: 2 * 365 * 24 * HOUR_MS,
  retention1dMs: 5 * 365 * 24 * HOUR_MS,
  retentionTracesMs: 30 * 24 * HOUR_MS,
  spansPerTraceMax: 20_000,
  bytesPerTraceMax: 16 * 1024 * 1024,
  retentionLogsMs: 30 * 24 * HOUR_MS,
  retentionObjectsMs: 400 * 24 * HOUR_MS,
  clusterObjectStatesMax: 20_000,
  outOfOrderMs: HOUR_MS,
  flushEveryMs: 2 * HOUR_MS,
  flushLogBytes: 16 * 1024 * 1024,
  checkpointLogBytes: 4 * 1024 * 1024,
  checkpointEveryMs: 10 * 60_000,
  compactToMs: [24 * HOUR_MS, 8 * 24 * HOUR_MS],
  seriesMax: 2_000_000,
  headBytesMax: 1024 * 1024 * 1024,
  pendingBytesMax: 64 * 1024 * 1024,
  forwardBufferBytesMax: undefined,
  exemplarsMax: 100_000,
  exemplarsPerSeriesMax: 100,
  clusterLabels: [CLUSTER_LABEL, ...CLUSTER_ALIASES],
  isShipping: false,
  databaseBytesMax: Infinity,
}

/**
 * The least time a sample stays in the head, whatever the out-of-order window: a sender that missed our answer
 * repeats its request within minutes, and the repeat must be recognised as one.
 */
export const RETRY_WINDOW_MS = 10 * 60_000
