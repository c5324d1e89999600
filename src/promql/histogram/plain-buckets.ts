import type { Histogram } from '../../model/histogram.ts'
import { allBuckets } from './buckets.ts'

/** A bucket as the HTTP API shows it: `[boundaries, lower, upper, count]`, the numbers as texts there. */
export interface PlainBucket {
  /** 0: the upper bound belongs to the bucket. 1: the lower one does. 2: none does. 3: both do. */
  readonly boundaries: 0 | 1 | 2 | 3
  readonly lower: number
  readonly upper: number
  readonly count: number
}

/** The buckets with observations, lowest first. */
export function plainBuckets(histogram: Histogram): PlainBucket[] {
  return allBuckets(histogram).map(({ lower, upper, isLowerIncluded, isUpperIncluded, count }) => ({
    boundaries: isLowerIncluded ? (isUpperIncluded ? 3 : 1) : isUpperIncluded ? 0 : 2,
    lower,
    upper,
    count,
  }))
}
