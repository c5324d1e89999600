import type { ExemplarSeries } from '../model/exemplar.ts'
import type { Histogram } from '../model/histogram.ts'
import type { Labels } from '../model/labels.ts'
import type { Matcher } from '../model/matcher.ts'
import type { MetricFamily } from '../model/metadata.ts'
import type { TimeRange } from '../model/time-range.ts'
import type { Explanation } from './explanation.ts'

/**
 * PromQL queries: the port with the local engine behind it (on the query worker), and later a remote
 * Prometheus-compatible cluster. Times are milliseconds since the epoch. Rejects with FleetError `query_parse` (a
 * `PromqlError` with its diagnostic), `query_execution`, `query_limit`, `query_timeout`, `query_canceled` or `overloaded`.
 */
export interface QueryEngine {
  instant(query: InstantQuery, signal?: AbortSignal): Promise<QueryResult>
  range(query: RangeQuery, signal?: AbortSignal): Promise<QueryResult>
  series(selectors: Selectors, range: TimeRange, signal?: AbortSignal): Promise<readonly Labels[]>
  labelNames(selectors: Selectors, range: TimeRange, signal?: AbortSignal): Promise<readonly string[]>
  labelValues(name: string, selectors: Selectors, range: TimeRange, signal?: AbortSignal): Promise<readonly string[]>
  /** Series with exemplars in the range that a selector matches, without repeats, sorted by labels. */
  exemplars(selectors: Selectors, range: TimeRange, signal?: AbortSignal): Promise<readonly ExemplarSeries[]>
  /** Metadata of one metric family, or of all, sorted by name. */
  metadata(name?: string): Promise<readonly MetricFamily[]>
}

/** The matchers of each selector. */
export type Selectors = readonly (readonly Matcher[])[]

/** Evaluates a query and returns how it was evaluated instead of its value. Rejects as `QueryEngine` does. */
export interface QueryExplainer {
  explain(query: InstantQuery | RangeQuery, signal?: AbortSignal): Promise<Explanation>
}

export interface QueryOptions {
  /** Overrides the engine's lookback (5 minutes by default). */
  readonly lookbackMs?: number
  /** Capped by the engine's own limit. */
  readonly timeoutMs?: number
  /** Counts the samples of each step too, which costs about as much as a count of them. */
  readonly countsSteps?: boolean
}

export interface InstantQuery extends QueryOptions {
  readonly expr: string
  readonly timeMs: number
}

export interface RangeQuery extends QueryOptions {
  readonly expr: string
  /** Inclusive. */
  readonly startMs: number
  /** Inclusive; not before `startMs`. */
  readonly endMs: number
  /** At least 1. */
  readonly stepMs: number
}

export interface QueryResult {
  readonly value: QueryValue
  /** Annotations of a successful result, with positions, as Prometheus prints them. */
  readonly warnings: readonly string[]
  readonly infos: readonly string[]
  readonly stats: QueryStats
  /** Series that exist may be missing, as a warning says: what is absent here has not ended. */
  readonly isPartial?: true
}

interface QueryStats {
  readonly samplesRead: number
  readonly seriesRead: number
  readonly evalMs: number
  /** By step; present when the query asked for it. */
  readonly samplesByStep?: readonly StepCount[]
}

/** The samples that one step read, as Prometheus counts them: a sample in the windows of two steps counts twice. */
export interface StepCount {
  readonly timeMs: number
  readonly samples: number
}

export type QueryValue =
  | { readonly type: 'scalar'; readonly timeMs: number; readonly value: number }
  | { readonly type: 'string'; readonly timeMs: number; readonly value: string }
  | { readonly type: 'vector'; readonly timeMs: number; readonly samples: readonly VectorSample[] }
  | { readonly type: 'matrix'; readonly series: readonly MatrixSeries[] }

export interface VectorSample {
  readonly labels: Labels
  /** Undefined meaning when there is a `histogram`. */
  readonly value: number
  readonly histogram?: Histogram
  /** The evaluation time, as in Prometheus' instant vectors. */
  readonly timeMs: number
}

/**
 * Points oldest first, without steps that have no value. The float columns have one length, and those of native
 * histograms another, as in Prometheus' responses.
 */
export interface MatrixSeries {
  readonly labels: Labels
  readonly timesMs: Float64Array
  readonly values: Float64Array
  readonly histogramTimesMs?: Float64Array
  readonly histograms?: readonly Histogram[]
}
