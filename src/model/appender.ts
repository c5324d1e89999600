import type { Exemplar } from './exemplar.ts'
import type { Histogram } from './histogram.ts'
import type { Labels } from './labels.ts'
import type { MetricMetadata } from './metadata.ts'
import type { SeriesRef } from './series.ts'

/**
 * Writes samples to the store, on the ingest worker: of senders, and derived ones (fleet facts, rule results). Implemented by
 * `store`. The appends of one request are not interleaved with another's. Samples are readable at once (of a series without
 * stored samples: from the next commit on) and durable when `commit` resolves.
 */
export interface Appender {
  /** The series of a label set, created if new. Cold: callers cache the ref. `undefined`: the series limit is reached. */
  resolve(labels: Labels): SeriesRef | undefined
  /** The existing series of a label set. Cold. */
  find(labels: Labels): SeriesRef | undefined
  /** The number of series with this label `cluster`; empty: without one. Cold. */
  seriesOf(cluster: string): number
  /** The time of the newest sample of a series; -Infinity: it has none. Cold. */
  newestMs(ref: SeriesRef): number
  /** HOT: once per sample, allocates nothing. `value` is never a stale marker. */
  append(ref: SeriesRef, timeMs: number, value: number): AppendOutcome
  /** HOT. The series ends here (staleness is a boolean on this side, see sample.ts). */
  appendStale(ref: SeriesRef, timeMs: number): AppendOutcome
  /** Cold. A native histogram as the sample of a time; it is stored by reference and must not be changed afterwards. */
  appendHistogram(ref: SeriesRef, timeMs: number, histogram: Histogram): AppendOutcome
  /** Cold. False: refused, because its series has a newer one, or exemplars are off. A repeat of the newest succeeds. */
  appendExemplar(ref: SeriesRef, exemplar: Exemplar): boolean
  /** Cold: callers pass new metadata only. False: the limit of metric families is reached. */
  describe(family: string, metadata: MetricMetadata): boolean
  /**
   * Resolves when all appended samples are on disk; several requests share one commit. Rejects with FleetError `storage_full`
   * or `storage_failed`; the samples stay queued for the next commit.
   */
  commit(): Promise<void>
}

/** The outcome of one sample. Numbers, because there is one per sample. */
export const APPENDED = 0
/** The same sample exists: same time, same bits, or the same histogram. A success, so retries are clean. */
export const APPENDED_BEFORE = 1
export const REFUSED_DUPLICATE = 2
export const REFUSED_OUT_OF_ORDER = 3
export const REFUSED_TOO_OLD = 4
export type AppendOutcome =
  | typeof APPENDED
  | typeof APPENDED_BEFORE
  | typeof REFUSED_DUPLICATE
  | typeof REFUSED_OUT_OF_ORDER
  | typeof REFUSED_TOO_OLD

/** A sample of the server itself: the result of a recording rule, an `ALERTS` series, a fleet fact. */
export interface DerivedSample {
  readonly labels: Labels
  readonly timeMs: number
  /** Ignored when `isStale`. */
  readonly value: number
  /** Instead of `value`. */
  readonly histogram?: Histogram
  readonly isStale: boolean
}

/** Writes derived samples; resolves when they are durable and readable. */
export type AppendDerived = (samples: readonly DerivedSample[]) => Promise<void>
