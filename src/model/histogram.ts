/**
 * A native histogram: one sample with a whole distribution (Prometheus' "sparse histograms", OTLP's exponential ones, and
 * classic buckets as custom bounds). Immutable. Counts are floats, exact up to 2^53. `BucketCounts` has no empty buckets, so
 * two histograms are equal when their parts are.
 */
export interface Histogram {
  /**
   * -4 to 8: bucket i of the positive side covers (2^((i-1) * 2^-schema), 2^(i * 2^-schema)], the negative side is its
   * mirror. `CUSTOM_BOUNDS`: bucket i covers (customBounds[i-1], customBounds[i]], the first begins and the last ends at
   * infinity, and all are in `positive`.
   */
  readonly schema: number
  readonly counterReset: CounterReset
  /** Of all observations; NaN ones are in it and in no bucket. */
  readonly count: number
  readonly sum: number
  /** Observations in [-zeroThreshold, zeroThreshold] are counted in `zeroCount`. Both 0 with custom bounds. */
  readonly zeroThreshold: number
  readonly zeroCount: number
  readonly positive: BucketCounts
  readonly negative: BucketCounts
  /** Rising, finite, without +Inf. Empty unless the schema is `CUSTOM_BOUNDS`. */
  readonly customBounds: Float64Array
}

/** Buckets with observations as two columns of one length; indexes rise strictly. */
export interface BucketCounts {
  readonly indexes: Int32Array
  readonly counts: Float64Array
}

/**
 * `unknown`: must be found by comparing. `reset`: counts began anew at this sample. `continued`: they did not.
 * `gauge`: the histogram may fall as it likes.
 */
export type CounterReset = 'unknown' | 'reset' | 'continued' | 'gauge'

/** The schema of histograms that name their bounds. */
export const CUSTOM_BOUNDS = -53
/** The coarsest and the finest schema with exponential buckets. */
export const SCHEMA_MIN = -4
export const SCHEMA_MAX = 8

export const NO_BUCKETS: BucketCounts = { indexes: new Int32Array(0), counts: new Float64Array(0) }
