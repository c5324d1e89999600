/** Limits of the engine; exceeding one is a failure whose message has the limit and its value. */
export interface EngineOptions {
  /** Maximum samples that one query may read. */
  readonly samplesMax: number
  /** Maximum bytes of intermediate results (series x steps) of one query. */
  readonly resultBytesMax: number
  /** Maximum duration of one query. A query may request less. */
  readonly timeoutMs: number
  /** How far back an instant selector searches for a sample; the oldest end is exclusive. */
  readonly lookbackMs: number
  /** Step of a subquery without one. */
  readonly subqueryStepMs: number
  /**
   * Rollups are read instead of samples from this number of runs per bucket. A run is one value scraped at even
   * intervals: an unchanging series has less than one run per bucket, a counter one per sample.
   */
  readonly rollupRunsMin: number
  /** Whether queries may use what Prometheus calls experimental: see `ParseOptions`. */
  readonly experimental: boolean
}

export const DEFAULT_ENGINE_OPTIONS: EngineOptions = {
  samplesMax: 50_000_000,
  resultBytesMax: 1_000_000_000,
  timeoutMs: 120_000,
  lookbackMs: 300_000,
  subqueryStepMs: 60_000,
  rollupRunsMin: 8,
  experimental: false,
}
