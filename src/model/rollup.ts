import type { LabelRows } from './label-rows.ts'
import type { Matcher } from './matcher.ts'
import type { TimeRange } from './time-range.ts'
import type { ReadTally } from './read-tally.ts'
import type { RegexWork } from './regex-limits.ts'

/** Rollups: summaries of the samples of a time bucket. Bucket k of width w has the samples in `(k * w, (k + 1) * w]`. */

/** The requested parts of a bucket, besides its first and last sample, resets and counts. */
export interface RollupParts {
  /** `mins` and `maxs`. */
  readonly extremes: boolean
  /** `sums`. */
  readonly sums: boolean
}

/** A range, open at `fromMs`; both ends are multiples of `alignMs`. */
export interface RollupRequest extends TimeRange {
  readonly matchers: readonly Matcher[]
  /** A multiple of the bucket width: the windows begin and end on it. */
  readonly alignMs: number
  /** The most buckets to read; beyond it FleetError `query_limit`. */
  readonly bucketsMax: number
  readonly parts: RollupParts
  /** These as in `SelectRequest`. */
  readonly tally?: ReadTally
  readonly missing?: (times: TimeRange) => void
  readonly work?: RegexWork
}

/**
 * Buckets of one series, oldest first; `[0, count)` of each column is valid. Stale markers are not samples here; if `counts`
 * is 0, the other columns are undefined.
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
  /** Whether the samples of the whole range are stored too. */
  readonly hasSamples: boolean
  /**
   * Visits the buckets of rows `[from, to)`; rows without buckets are left out. The columns are reused for the next row, and
   * may have buckets outside of the range. Throws FleetError `query_limit` beyond `bucketsMax` in one call.
   */
  readBuckets(from: number, to: number, visit: (row: number, buckets: RollupColumns) => void): void
}
