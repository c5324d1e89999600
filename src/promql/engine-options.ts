/** Limits of the engine; each one hit is a failure that names the limit and its value. */
export interface EngineOptions {
  /** The most samples one query may read. */
  readonly samplesMax: number
  /** The most bytes of intermediate results (series x steps) one query may make. */
  readonly resultBytesMax: number
  /** How long one query may take. A query may ask for less. */
  readonly timeoutMs: number
  /** How far an instant selector looks back for a sample; the oldest end is exclusive. */
  readonly lookbackMs: number
  /** Step of a subquery that names none. */
  readonly subqueryStepMs: number
  /**
   * From how many runs a bucket on rollups are read instead of samples. A run is one value scraped evenly: a series that
   * does not change has less than one a bucket, a counter one a sample.
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
