import type { Labels } from '../../model/labels.ts'
import type { HistogramCells } from './grid.ts'

/** When a selector looks, given when it is asked: `offset` and `@` applied. */
export interface Lens {
  /** Absent: the time asked for. */
  readonly fixedMs: number | undefined
  readonly offsetMs: number
}

/** A range vector before it is split into windows: all samples of a query, without stale markers. */
export interface RangeVector {
  readonly series: readonly RangeSeries[]
  readonly rangeMs: number
  readonly lens: Lens
  readonly isOneName: boolean
}

/** Samples of one series, oldest first; `[0, count)` of the columns is valid. */
export interface RangeSeries {
  readonly labels: Labels
  readonly count: number
  readonly timesMs: Float64Array
  readonly values: Float64Array
  /** By sample, where some are native histograms. */
  readonly histograms?: HistogramCells
}
