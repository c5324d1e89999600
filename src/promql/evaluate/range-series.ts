import type { SeriesColumns } from '../../model/series.ts'

/** `offset` and `@` of a selector: the time it reads, from the time of evaluation. */
export interface Lens {
  /** Absent: the time of evaluation. */
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

/** Samples of one series. */
export type RangeSeries = Omit<SeriesColumns, 'ref'>
