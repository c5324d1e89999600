import type { TimeRange } from './time-range.ts'
import type { ExemplarSeries } from './exemplar.ts'
import type { LabelRows } from './label-rows.ts'
import type { Labels } from './labels.ts'
import type { Matcher } from './matcher.ts'
import type { MetricFamily } from './metadata.ts'
import type { ReadTally } from './read-tally.ts'
import type { RegexWork } from './regex-limits.ts'
import type { RollupRequest, RollupSelection } from './rollup.ts'
import type { RunColumns } from './run-columns.ts'
import type { SeriesColumns } from './series.ts'

/** The selection of a query. */
export interface SelectRequest extends TimeRange {
  /** All must match; at least one must not match the empty string (the parser checks it). */
  readonly matchers: readonly Matcher[]
  /** The most samples to read; beyond it `select` throws FleetError `query_limit`. */
  readonly maxSamples: number
  /** A store may use rollups or runs if the result is the same. */
  readonly hint?: SelectHint
  /** What is read is added to it. A store that does not count leaves it as it is. */
  readonly tally?: ReadTally
  /** Called while samples are read, with times of which samples are damaged and left out; repeatedly for the same. */
  readonly missing?: MissingListener
  /** Bounds the tests of regular expressions, of all selections of a query together. Absent: of this selection. */
  readonly work?: RegexWork
}

export type MissingListener = (times: TimeRange) => void

interface SelectHint {
  /** The function or aggregation around the selector: `increase`, `max_over_time`, ... */
  readonly func?: string
  readonly stepMs?: number
  /** Width of the range selector; 0 for an instant selector. */
  readonly rangeMs?: number
  /** Only the newest sample of each series in the range is needed. */
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
   * The samples of rows `[from, to)`, one row each (`into` is cleared first). The store may change between two calls; each
   * series is consistent. Throws FleetError `query_limit` beyond `maxSamples` runs.
   */
  readRuns(from: number, to: number, into: RunColumns): void
  /** A lower bound of the runs of rows `[from, to)`, without reading them. Absent: unknown. */
  runsAtLeast?(from: number, to: number): number
  /** The newest sample of all rows, by row; `timesMs` is NaN where there is none, and `values` has the exact bits. */
  readNewest(timesMs: Float64Array, values: Float64Array): void
  /** A unique, ascending number of each row's series. Absent: the store has none. */
  readonly refs?: Uint32Array
  /** The ends of all rows in memory, whatever the range: changes are visible without reading samples. Absent: unknown. */
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

/** A list in portions of a few milliseconds, between which the reader may serve other work. */
export type Portions<T> = Iterable<readonly T[]>

/** Reads the store, synchronously, on the query worker. Implemented by `store` and by the in-memory store of test scripts. */
export interface Queryable {
  /** Series with at least one sample in the range, in no particular order. Stale markers are samples too. */
  select(request: SelectRequest): readonly SeriesColumns[]
  /** `select` of the newest samples alone. Absent: only in one piece. */
  selectNewest?(request: SelectRequest): Portions<SeriesColumns>
  /** The same as runs, with exact bits. Hints are ignored. Absent: only `select` is available. */
  selectRuns?(request: SelectRequest): RunSelection
  /** Buckets of rollups, for aligned windows. `undefined`: no suitable ones, as of native histograms. */
  selectRollup?(request: RollupRequest): RollupSelection | undefined
  /** Label sets of matching series that have a sample in the range. No matchers: all series. */
  series(matchers: readonly Matcher[], range: TimeRange): Portions<Labels>
  /** In no particular order; portions may repeat each other. */
  labelNames(matchers: readonly Matcher[], range: TimeRange): Portions<string>
  /** In no particular order; portions may repeat each other. */
  labelValues(name: string, matchers: readonly Matcher[], range: TimeRange): Portions<string>
  /** Matching series with their exemplars in the range, sorted by labels. Absent: exemplars are not stored. */
  exemplars?(matchers: readonly Matcher[], range: TimeRange): readonly ExemplarSeries[]
  /** The metadata of one metric family, or of all, sorted by name. */
  metadata?(name?: string): readonly MetricFamily[]
}
