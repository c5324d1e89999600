import type { TimeRange } from './time-range.ts'
import type { ExemplarSeries } from './exemplar.ts'
import type { LabelRows } from './label-rows.ts'
import type { Labels } from './labels.ts'
import type { Matcher } from './matcher.ts'
import type { MetricFamily } from './metadata.ts'
import type { ReadTally } from './read-tally.ts'
import type { RollupRequest, RollupSelection } from './rollup.ts'
import type { RunColumns } from './run-columns.ts'
import type { SeriesColumns } from './series.ts'

/** The selection of a query. */
export interface SelectRequest extends TimeRange {
  /** All must match; at least one must not match the empty string (the parser checks it). */
  readonly matchers: readonly Matcher[]
  /** The most samples to read; beyond it `select` throws FleetError `query_limit`. */
  readonly maxSamples: number
  /** What the samples are for, so that a store may answer from rollups or runs when the answer is the same. */
  readonly hint?: SelectHint
  /** What is read is added to it. A store that does not count leaves it as it is. */
  readonly tally?: ReadTally
}

interface SelectHint {
  /** The function or aggregation around the selector: `increase`, `max_over_time`, ... */
  readonly func?: string
  readonly stepMs?: number
  /** Width of the range selector; 0 for an instant selector. */
  readonly rangeMs?: number
  /** Only the newest sample of each series in the range is looked at; a store may leave out the others. */
  readonly isNewestOnly?: boolean
}

/** Series that matched, and their samples in the range of the request. */
export interface RunSelection {
  /** Series with and without a sample in the range; their order does not change. */
  readonly rows: LabelRows
  /** Present where samples of a part of the range are expired: the first and the last of each bucket represent all. */
  readonly resolutionMs?: number
  /** A matching series has native histograms in the range, which runs cannot represent: use `select`. */
  readonly hasHistograms?: boolean
  /**
   * The samples of rows `[from, to)`, a row each (`into` is cleared first). Between two calls the store may go on;
   * each series by itself is read as it was at one moment. Throws FleetError `query_limit` beyond `maxSamples` runs.
   */
  readRuns(from: number, to: number, into: RunColumns): void
  /**
   * A lower bound of the runs of rows `[from, to)`, without reading them. Absent: the store does not know it.
   */
  runsAtLeast?(from: number, to: number): number
  /** The newest sample of all rows, by row; `timesMs` is NaN where there is none, and `values` has the exact bits. */
  readNewest(timesMs: Float64Array, values: Float64Array): void
  /** Of each row's series a number that no other ever had, rising. Absent: a store that has none. */
  readonly refs?: Uint32Array
  /**
   * How all rows end in memory, whatever the range: whoever remembers it sees what came since without reading samples.
   * Absent: a store that cannot tell.
   */
  readTails?(into: RunTails): void
}

/** How series end, by row. Columns as long as there are rows. */
export interface RunTails {
  /** The first and the last sample of the newest run of one value, evenly spaced; NaN: nothing is in memory. */
  readonly startsMs: Float64Array
  readonly lastsMs: Float64Array
  /** Between its samples; 0 when there is one. */
  readonly stepsMs: Float64Array
  /** Of that run, bit by bit. */
  readonly values: Float64Array
  /** The first and the last sample of the run before it; NaN: there is none in memory. */
  readonly beforeStartsMs: Float64Array
  readonly beforeLastsMs: Float64Array
  /** Changes when a sample comes that is older than the newest; 0: none is in memory. */
  readonly late: Int32Array
}

/**
 * Reading the store. Synchronous: it is used on the query worker, next to the data. Implemented by `store`, by the
 * test scripts' in-memory store, and later by a remote one behind `QueryEngine`.
 */
export interface Queryable {
  /** Series with at least one sample in the range, in no particular order. Stale markers are samples too. */
  select(request: SelectRequest): readonly SeriesColumns[]
  /**
   * The same as runs, decoded bit by bit, for a store with runs. Absent: only `select` is available. Hints are ignored.
   */
  selectRuns?(request: SelectRequest): RunSelection
  /**
   * Buckets of rollups, for windows that begin and end with one. Undefined when there are none that help, as of native
   * histograms. Absent: there is only `select`.
   */
  selectRollup?(request: RollupRequest): RollupSelection | undefined
  /** Label sets of matching series that have a sample in the range. No matchers: all series. */
  series(matchers: readonly Matcher[], range: TimeRange): readonly Labels[]
  /** Sorted, without repeats. */
  labelNames(matchers: readonly Matcher[], range: TimeRange): readonly string[]
  /** Sorted, without repeats. */
  labelValues(name: string, matchers: readonly Matcher[], range: TimeRange): readonly string[]
  /** Matching series with their exemplars in the range, sorted by labels. Absent: exemplars are not stored. */
  exemplars?(matchers: readonly Matcher[], range: TimeRange): readonly ExemplarSeries[]
  /** What is known of one metric family, or of all, sorted by name. Absent: nothing is. */
  metadata?(name?: string): readonly MetricFamily[]
}
