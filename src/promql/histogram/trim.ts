import { CUSTOM_BOUNDS, type BucketCounts, type Histogram } from '../../model/histogram.ts'
import { logShareBelow } from './bounds.ts'
import { nonEmpty } from './bucket-sums.ts'
import { negativeBuckets, positiveBuckets, type Bucket } from './buckets.ts'

/** Which observations remain: those below the value (`</`), or those above it (`>/`). */
export type Kept = 'below' | 'above'

/** The remaining part of a bucket: the number of observations, and the value that represents them. */
interface Part {
  readonly count: number
  readonly middle: number
}

/**
 * Keeps only the observations below or above a value. The bucket that contains the value is split with the distribution
 * of `histogram_quantile`. The sum is estimated from the middles of the remaining buckets, unless all remain.
 */
export function trimHistogram(histogram: Histogram, value: number, kept: Kept): Histogram {
  const positive = positiveBuckets(histogram).map((bucket) => trimmed(bucket, value, kept, histogram.schema, true))
  const negative = negativeBuckets(histogram).map((bucket) => trimmed(bucket, value, kept, histogram.schema, false))
  const zero = trimmedZero(histogram, value, kept)
  const positiveCounts = countsOf(positive)
  const negativeCounts = countsOf(negative)
  const isWhole =
    positiveCounts.every((count, i) => count === histogram.positive.counts[i]) &&
    negativeCounts.every((count, i) => count === histogram.negative.counts[i]) &&
    zero.count === histogram.zeroCount
  if (isWhole) return histogram
  let count = 0
  let sum = 0
  for (const part of [...positive, ...negative, zero]) {
    count += part.count
    sum += part.middle * part.count
  }
  const side = ({ indexes }: BucketCounts, counts: Float64Array): BucketCounts => nonEmpty(indexes, counts)
  return {
    ...histogram,
    count,
    sum,
    zeroCount: zero.count,
    positive: side(histogram.positive, positiveCounts),
    negative: side(histogram.negative, negativeCounts),
  }
}

function countsOf(parts: readonly Part[]): Float64Array {
  return Float64Array.from(parts, ({ count }) => count)
}

const NONE: Part = { count: 0, middle: 0 }

function trimmed(bucket: Bucket, value: number, kept: Kept, schema: number, isPositive: boolean): Part {
  const { lower, upper, count } = bucket
  const isLinear = schema === CUSTOM_BOUNDS
  const isWhole = kept === 'below' ? upper <= value : lower >= value
  if (isWhole) return { count, middle: middleOf(lower, upper, isPositive, isLinear) }
  const isGone = kept === 'below' ? lower >= value : upper <= value
  if (isGone) return NONE
  // NaN is neither, and counts as inside every bucket.
  if (lower === -Infinity) return withoutLowerEnd(bucket, value, kept)
  if (upper === Infinity) return kept === 'below' ? NONE : { count, middle: value }
  const under = count * shareBelow(bucket, value, isPositive, isLinear)
  if (kept === 'below') return { count: under, middle: middleOf(lower, value, isPositive, isLinear) }
  return { count: count - under, middle: middleOf(value, upper, isPositive, isLinear) }
}

/**
 * The first custom bucket: it starts at zero when its bound is positive; otherwise the positions of its observations
 * are unknown, so it is kept below the value and dropped above it.
 */
function withoutLowerEnd({ upper, count }: Bucket, value: number, kept: Kept): Part {
  const isFromZero = upper > 0 && upper !== Infinity
  if (kept === 'below') {
    if (isFromZero && value > 0) return { count: (count * value) / upper, middle: value / 2 }
    return upper <= 0 ? { count, middle: value } : NONE
  }
  if (isFromZero && value >= 0) return { count: count * (1 - value / upper), middle: (value + upper) / 2 }
  return NONE
}

function shareBelow({ lower, upper }: Bucket, value: number, isPositive: boolean, isLinear: boolean): number {
  if (isLinear) return (value - lower) / (upper - lower)
  return logShareBelow(value, lower, upper, isPositive)
}

/** The zero bucket is on one side of zero when all other buckets are. */
function trimmedZero(histogram: Histogram, value: number, kept: Kept): Part {
  const { zeroThreshold, zeroCount: count, positive, negative } = histogram
  if (!(count > 0)) return { count, middle: 0 }
  const hasPositive = positive.indexes.length > 0
  const hasNegative = negative.indexes.length > 0
  const lower = hasPositive && !hasNegative ? 0 : -zeroThreshold
  const upper = hasNegative && !hasPositive ? 0 : zeroThreshold
  if (value <= lower) return kept === 'below' ? NONE : { count, middle: (lower + upper) / 2 }
  if (value >= upper) return kept === 'below' ? { count, middle: (lower + upper) / 2 } : NONE
  const width = upper - lower
  return kept === 'below'
    ? { count: count * ((value - lower) / width), middle: (lower + value) / 2 }
    : { count: count * ((upper - value) / width), middle: (value + upper) / 2 }
}

/** The value that represents an interval; for an interval without an end, its other end. */
function middleOf(lower: number, upper: number, isPositive: boolean, isLinear: boolean): number {
  if (lower === -Infinity || lower === Infinity) {
    if (upper === -Infinity || upper === Infinity) return 0
    return upper > 0 ? upper / 2 : upper
  }
  if (upper === -Infinity || upper === Infinity) return lower
  if (isLinear) return (lower + upper) / 2
  const middle = Math.sqrt(Math.abs(lower * upper))
  return isPositive ? middle : -middle
}
