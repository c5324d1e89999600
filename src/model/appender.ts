import type { Exemplar } from './exemplar.ts'
import type { Histogram } from './histogram.ts'
import type { Labels } from './labels.ts'
import type { MetricMetadata } from './metadata.ts'
import type { SeriesRef } from './series.ts'

/**
 * The one door into the store for samples. Used by `ingest` on the ingest worker, and (as `DerivedSeries`) by the
 * two things that flow back on purpose: fleet facts and rule results. Implemented by `store`.
 *
 * One thread, one appender: a request's appends are not interleaved with another's. Samples are readable at once (a new
 * series: from its first commit on) and durable when `commit` resolves; what is acknowledged to a sender waits for that.
 */
export interface Appender {
  /** The series of a label set, made at first sight. Cold: callers remember the ref. `undefined`: the series limit is reached. */
  resolve(labels: Labels): SeriesRef | undefined
  /** The series of a label set if there is one; makes none. Cold. */
  find(labels: Labels): SeriesRef | undefined
  /** How many series there are of a cluster (label `cluster`); of the empty text, how many without one. Cold. */
  seriesOf(cluster: string): number
  /** HOT: once per sample, allocates nothing. `value` is never a stale marker. */
  append(ref: SeriesRef, timeMs: number, value: number): AppendOutcome
  /** HOT. The series ends here (staleness is a boolean on this side, see sample.ts). */
  appendStale(ref: SeriesRef, timeMs: number): AppendOutcome
  /** Cold. A native histogram as the sample of a time; it is stored by reference and must not be changed afterwards. */
  appendHistogram(ref: SeriesRef, timeMs: number, histogram: Histogram): AppendOutcome
  /** Cold. False: refused, because its series has a newer one, or exemplars are off. A repeat of the newest succeeds. */
  appendExemplar(ref: SeriesRef, exemplar: Exemplar): boolean
  /** Cold: callers pass new metadata only. False: there is no room for another metric family. */
  describe(family: string, metadata: MetricMetadata): boolean
  /**
   * Resolves when all that was appended so far is on disk; several waiting requests share one commit.
   * Rejects with FleetError `storage_full` or `storage_failed`; the samples stay queued for the next commit, so a
   * sender that repeats them is acknowledged only when they are durable.
   */
  commit(): Promise<void>
}

/** What happened to one sample. Numbers, because it is answered once per sample. */
export const APPENDED = 0
/** The same sample was there: same time, same bits, or the same histogram. Nothing to do, and a success (retries are clean). */
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

/** A sample made by the program itself: a recording rule's result, an `ALERTS` series, a fleet fact. */
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
