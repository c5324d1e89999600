import type { Histogram } from './histogram.ts'
import type { Labels } from './labels.ts'

/** The number of a series in one data directory: a positive integer, never reused while the directory lives. */
export type SeriesRef = number

/**
 * Samples of one series, oldest first, times strictly rising, as two columns of which `[0, count)` is valid.
 * Stale markers are in `values` by their bits (`isStaleAt` in sample.ts). Readers must not write to the columns.
 */
export interface SeriesColumns {
  readonly ref: SeriesRef
  readonly labels: Labels
  readonly count: number
  readonly timesMs: Float64Array
  readonly values: Float64Array
  /** By sample, where some are native histograms: their `values` mean nothing. A stale marker has none. */
  readonly histograms?: readonly (Histogram | undefined)[]
}
