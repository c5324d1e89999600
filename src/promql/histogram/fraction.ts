import { CUSTOM_BOUNDS, type Histogram } from '../../model/histogram.ts'
import { logShareBelow } from './bounds.ts'
import { allBuckets, type Bucket } from './buckets.ts'

interface Fraction {
  readonly value: number
  /** There are NaN observations, which are between no two values. */
  readonly hasNaN: boolean
}

/** The share of observations between two values: the inverse of `histogramQuantile`. */
export function histogramFraction(lower: number, upper: number, histogram: Histogram): Fraction {
  const { count: total, sum } = histogram
  if (total === 0 || Number.isNaN(lower) || Number.isNaN(upper)) return { value: NaN, hasNaN: false }
  if (lower >= upper) return { value: 0, hasNaN: false }
  const buckets = allBuckets(histogram)
  const inBuckets = Number.isNaN(sum) ? buckets.reduce((all, bucket) => all + bucket.count, 0) : total
  const below = rankOf(lower, buckets, histogram, inBuckets)
  const value = (rankOf(upper, buckets, histogram, inBuckets) - below) / total
  return { value, hasNaN: inBuckets < total }
}

/** The estimated number of observations below a value. */
function rankOf(value: number, buckets: readonly Bucket[], histogram: Histogram, most: number): number {
  let rank = 0
  for (const bucket of buckets) {
    const { count } = bucket
    const { lower, upper, isLinear } = spreadOf(bucket, histogram)
    if (lower >= value) return Math.min(rank, most)
    if (upper > value) return Math.min(interpolated(value, rank, count, lower, upper, isLinear), most)
    rank += count
  }
  return most
}

/**
 * The assumed range of a bucket's observations: the zero bucket is cut when all other buckets are on one side of it.
 */
function spreadOf(
  { lower, upper }: Bucket,
  { schema, positive, negative }: Histogram,
): { lower: number; upper: number; isLinear: boolean } {
  const isAtZero = lower <= 0 && upper >= 0
  const isLinear = schema === CUSTOM_BOUNDS || isAtZero
  if (isAtZero && negative.indexes.length === 0 && positive.indexes.length > 0) return { lower: 0, upper, isLinear }
  if (isAtZero && positive.indexes.length === 0 && negative.indexes.length > 0) return { lower, upper: 0, isLinear }
  return { lower, upper, isLinear }
}

function interpolated(
  value: number,
  rank: number,
  count: number,
  lower: number,
  upper: number,
  isLinear: boolean,
): number {
  // A bucket without a lower bound is not split.
  if (isLinear) return lower === -Infinity ? count : rank + (count * (value - lower)) / (upper - lower)
  return rank + count * logShareBelow(value, lower, upper, value > 0)
}
