import type { Exemplar } from '../model/exemplar.ts'
import type { ForwardProgress } from '../model/forward-progress.ts'
import type { Histogram } from '../model/histogram.ts'
import type { MetricMetadata } from '../model/metadata.ts'
import type { SeriesRef } from '../model/series.ts'

/**
 * What is forwarded: the buffer's log, row by row in order of arrival, with what belongs to its samples. Methods throw
 * FleetError when the buffer cannot be read.
 */
export interface SampleSource extends SeriesSource {
  /** The high word of samples that are native histograms. */
  readonly histogramHighWord: number
  /** What was stored by an earlier run; undefined: nothing. */
  progress(): ForwardProgress | undefined
  /** 0: there is none. */
  newestRow(): number
  next(afterRow: number): SampleRow | undefined
  /** In order of arrival. */
  eachSample(row: SampleRow, sample: (ref: SeriesRef, timeMs: number, low: number, high: number) => void): void
  /** Undefined: it was removed. */
  histogramOf(ref: SeriesRef, timeMs: number): Histogram | undefined
  exemplarsAfter(
    seq: number,
    max: number,
  ): readonly { readonly seq: number; readonly ref: SeriesRef; readonly exemplar: Exemplar }[]
  metadataAfter(
    seq: number,
    max: number,
  ): readonly { readonly seq: number; readonly family: string; readonly metadata: MetricMetadata }[]
}

export interface SampleRow {
  readonly id: number
  /** Newest sample. */
  readonly maxMs: number
  readonly payload: Uint8Array
  readonly checksum: number | null
}

/** The labels of series. */
export interface SeriesSource {
  /** Visits all series that are stored beside `ref`, with `ref` itself if it is still stored. `pairIds` is valid during the visit. */
  eachSeriesNear(ref: SeriesRef, visit: (ref: SeriesRef, pairIds: readonly number[]) => void): void
  /** Undefined: it was removed, with the series that had it. */
  pairOf(id: number): readonly [name: string, value: string] | undefined
  /** Names and values, alternating, of a series without samples. */
  coldLabelsOf(ref: SeriesRef): readonly string[] | undefined
}
