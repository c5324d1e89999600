import type { Labels } from './labels.ts'
import type { Matcher } from './matcher.ts'
import type { SeriesColumns } from './series.ts'

/** Both ends inclusive, milliseconds since the epoch. */
export interface TimeRange {
  readonly fromMs: number
  readonly toMs: number
}

/** What a selector asks of the store. */
export interface SelectRequest extends TimeRange {
  /** All must match; at least one must not match the empty string (the parser checks it). */
  readonly matchers: readonly Matcher[]
  /** The most samples to read; beyond it `select` throws FleetError `query_limit`. */
  readonly maxSamples: number
  /** What the samples are for, so that a store may answer from rollups or runs when the answer is the same. */
  readonly hint?: SelectHint
}

export interface SelectHint {
  /** The function or aggregation around the selector: `increase`, `max_over_time`, ... */
  readonly func?: string
  readonly stepMs?: number
  /** Width of the range selector; 0 for an instant selector. */
  readonly rangeMs?: number
  /** Only the newest sample of each series in the range is looked at; a store may leave out the others. */
  readonly isNewestOnly?: boolean
}

/**
 * Reading the store. Synchronous: it is used on the query worker, next to the data. Implemented by `store`, by the
 * test scripts' in-memory store, and later by a remote one behind `QueryEngine`.
 */
export interface Queryable {
  /** Series with at least one sample in the range, in no particular order. Stale markers are samples too. */
  select(request: SelectRequest): readonly SeriesColumns[]
  /** Label sets of matching series that have a sample in the range. No matchers: all series. */
  series(matchers: readonly Matcher[], range: TimeRange): readonly Labels[]
  /** Sorted, without repeats. */
  labelNames(matchers: readonly Matcher[], range: TimeRange): readonly string[]
  /** Sorted, without repeats. */
  labelValues(name: string, matchers: readonly Matcher[], range: TimeRange): readonly string[]
}
