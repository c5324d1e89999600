import { CUSTOM_BOUNDS, NO_BUCKETS, type BucketCounts, type Histogram } from '../../../src/model/histogram.ts'

/** Buckets from `[index, count]` pairs. */
export function counts(...pairs: readonly (readonly [number, number])[]): BucketCounts {
  return {
    indexes: Int32Array.from(pairs, ([index]) => index),
    counts: Float64Array.from(pairs, ([, count]) => count),
  }
}

/** An exponential histogram; what is not given is empty or zero. */
export function exponential(parts: Partial<Histogram> = {}): Histogram {
  return {
    schema: 0,
    counterReset: 'unknown',
    count: 0,
    sum: 0,
    zeroThreshold: 0,
    zeroCount: 0,
    positive: NO_BUCKETS,
    negative: NO_BUCKETS,
    customBounds: new Float64Array(0),
    ...parts,
  }
}

/** A histogram of custom bounds. */
export function custom(bounds: readonly number[], parts: Partial<Histogram> = {}): Histogram {
  return exponential({ schema: CUSTOM_BOUNDS, customBounds: Float64Array.from(bounds), ...parts })
}
