import type { LabelRows } from './label-rows.ts'
import type { Matcher } from './matcher.ts'
import type { TimeRange } from './time-range.ts'
import type { ReadTally } from './read-tally.ts'

/**
 * Rollups: what is left of the samples of a bucket of time. Buckets are counted from the epoch, and are open at their old
 * end as PromQL's ranges are: bucket k of width w holds the samples in `(k * w, (k + 1) * w]`.
 */

/** The requested parts of a bucket beside its edges: times and values of the first and last sample, resets, counts. */
export interface RollupParts {
  /** `mins` and `maxs`. */
  readonly extremes: boolean
  /** `sums`. */
  readonly sums: boolean
}

/** A range, open at `fromMs`; both ends are multiples of `alignMs`. */
export interface RollupRequest extends TimeRange {
  readonly matchers: readonly Matcher[]
  /** A number of which the width of the buckets must be a divisor: the windows to be computed begin and end on it. */
  readonly alignMs: number
  /** The most buckets to read; beyond it FleetError `query_limit`. */
  readonly bucketsMax: number
  readonly parts: RollupParts
  /** As in `SelectRequest`. */
  readonly tally?: ReadTally
}

/**
 * Buckets of one series, oldest first, numbers strictly rising; `[0, count)` of each column is valid. Stale markers are
 * no samples here. Where `counts` is 0 there was nothing but stale markers, and the other columns mean nothing.
 */
export interface RollupColumns {
  readonly count: number
  /** Which bucket it is. */
  readonly numbers: Float64Array
  readonly counts: Float64Array
  /** `BUCKET_*` below. */
  readonly flags: Uint8Array
  readonly firstsMs: Float64Array
  readonly lastsMs: Float64Array
  readonly firsts: Float64Array
  readonly lasts: Float64Array
  /** How often the value fell inside of the bucket, and the sum of the values from which it fell. */
  readonly resets: Float64Array
  readonly resetSums: Float64Array
  /** How often the value became another one inside of the bucket. */
  readonly changes: Float64Array
  /** NaN only when all samples are; valid when requested. */
  readonly mins: Float64Array
  readonly maxs: Float64Array
  readonly sums: Float64Array
}

/** Every sample is an integer, and none is -0: sums below 2^53 are exact in any order. */
export const BUCKET_IS_INTEGER = 1
/** The newest sample of the bucket is a stale marker. */
export const BUCKET_ENDS_STALE = 2
/** Some sample is less than 0. */
export const BUCKET_HAS_NEGATIVE = 4

/** Series that matched, and the buckets of a request. */
export interface RollupSelection {
  /** Series with and without a sample in the range; their order does not change. */
  readonly rows: LabelRows
  /** Width of a bucket. */
  readonly widthMs: number
  /** Whether the samples themselves are there for the whole range too. */
  readonly hasSamples: boolean
  /**
   * Shows the buckets of rows `[from, to)`, row by row; rows without any are left out. The columns are used again for the
   * next row, and may have buckets outside of the range. Throws FleetError `query_limit` beyond `bucketsMax` in one call.
   */
  readBuckets(from: number, to: number, visit: (row: number, buckets: RollupColumns) => void): void
}
