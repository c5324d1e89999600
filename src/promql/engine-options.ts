import { REGEX_STEPS_MAX } from '../model/regex-limits.ts'
import { DEFAULT_PARSE_LIMITS, type ParseOptions } from './parse-options.ts'

export { DEFAULT_PARSE_LIMITS }

/** Limits of the engine; exceeding one is a failure whose message has the limit and its value. */
export interface EngineOptions extends ParseOptions {
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
  /** Maximum steps of the regular expressions in a query's selectors, and of one text in `label_replace`. */
  readonly regexStepsMax: number
}

export const DEFAULT_ENGINE_OPTIONS: EngineOptions = {
  samplesMax: 50_000_000,
  resultBytesMax: 1_000_000_000,
  timeoutMs: 120_000,
  lookbackMs: 300_000,
  subqueryStepMs: 60_000,
  rollupRunsMin: 8,
  regexStepsMax: REGEX_STEPS_MAX,
  experimental: false,
  limits: DEFAULT_PARSE_LIMITS,
}
