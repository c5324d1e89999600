import { CUSTOM_BOUNDS, type BucketCounts, type Histogram } from '../../model/histogram.ts'
import { upperBound } from './bounds.ts'

/** One bucket with its bounds. */
export interface Bucket {
  readonly lower: number
  readonly upper: number
  readonly isLowerIncluded: boolean
  readonly isUpperIncluded: boolean
  readonly count: number
}

/** Of the positive side, from the zero bucket up. */
export function positiveBuckets(histogram: Histogram): Bucket[] {
  return bucketsOf(histogram.positive, (index, count) => ({
    lower: upperBound(histogram, index - 1),
    upper: upperBound(histogram, index),
    isLowerIncluded: histogram.schema === CUSTOM_BOUNDS && index === 0,
    isUpperIncluded: true,
    count,
  }))
}

/** Of the negative side, from the zero bucket down. */
export function negativeBuckets(histogram: Histogram): Bucket[] {
  return bucketsOf(histogram.negative, (index, count) => ({
    lower: -upperBound(histogram, index),
    upper: -upperBound(histogram, index - 1),
    isLowerIncluded: true,
    isUpperIncluded: false,
    count,
  }))
}

export function zeroBucket({ zeroThreshold, zeroCount }: Histogram): Bucket {
  return {
    lower: -zeroThreshold,
    upper: zeroThreshold,
    isLowerIncluded: true,
    isUpperIncluded: true,
    count: zeroCount,
  }
}

/** All buckets in ascending order. A bucket that overlaps the zero bucket ends where that starts. */
export function allBuckets(histogram: Histogram): Bucket[] {
  const { zeroThreshold, zeroCount } = histogram
  const below = negativeBuckets(histogram).reverse()
  const above = positiveBuckets(histogram)
  const all = zeroCount > 0 ? [...below, zeroBucket(histogram), ...above] : [...below, ...above]
  if (zeroThreshold === 0) return all
  return all.map((bucket) => {
    if (bucket.upper < 0 && bucket.upper > -zeroThreshold) return { ...bucket, upper: -zeroThreshold }
    if (bucket.lower > 0 && bucket.lower < zeroThreshold) return { ...bucket, lower: zeroThreshold }
    return bucket
  })
}

function bucketsOf({ indexes, counts }: BucketCounts, make: (index: number, count: number) => Bucket): Bucket[] {
  return Array.from(indexes, (index, i) => make(index, counts[i]!))
}
