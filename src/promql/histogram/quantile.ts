import { CUSTOM_BOUNDS, type Histogram } from '../../model/histogram.ts'
import { add, type Accumulator } from '../evaluate/kahan.ts'
import { allBuckets, type Bucket } from './buckets.ts'

/** A quantile, and the effect of NaN observations, which count as greater than all others. */
interface Quantile {
  readonly value: number
  readonly nan?: 'result' | 'skew'
}

/**
 * The φ-quantile. Observations are assumed to be evenly distributed over the logarithms inside an exponential bucket,
 * and over the values inside the zero bucket and custom buckets.
 */
export function histogramQuantile(phi: number, histogram: Histogram): Quantile {
  const { count: total, sum } = histogram
  if (phi < 0) return { value: -Infinity }
  if (phi > 1) return { value: Infinity }
  if (total === 0 || Number.isNaN(phi)) return { value: NaN }
  // NaN observations are in no bucket, so the rank is counted from below; otherwise from the nearer end.
  const isForward = Number.isNaN(sum) || phi < 0.5
  const rank = (isForward ? phi : 1 - phi) * total
  const buckets = allBuckets(histogram)
  if (!isForward) buckets.reverse()
  let count = 0
  let last = -1
  while (last + 1 < buckets.length && !(last >= 0 && count >= rank)) count += buckets[++last]!.count
  const found = last < 0 ? NOTHING : buckets[last]!
  if (histogram.schema === CUSTOM_BOUNDS) {
    if (found.lower === -Infinity && found.upper <= 0) return { value: found.upper }
    if (found.lower !== -Infinity && found.upper === Infinity) return { value: found.lower }
  }
  const { lower, upper } = cutAtZero(found, histogram)
  const counted = Math.min(count, total)
  if (counted < rank) return Number.isNaN(sum) ? { value: NaN, nan: 'result' } : { value: upper }
  const share = (isForward ? rank - (counted - found.count) : counted - rank) / found.count
  const value = between(lower, upper, share, histogram.schema)
  if (!Number.isNaN(sum)) return { value }
  // The sum of both infinities is also NaN, and then all observations are in buckets.
  const inBuckets = buckets.slice(last + 1).reduce((all, bucket) => all + bucket.count, counted)
  return inBuckets < total ? { value, nan: 'skew' } : { value }
}

const NOTHING: Bucket = { lower: 0, upper: 0, isLowerIncluded: false, isUpperIncluded: false, count: 0 }

/**
 * When all observations are on one side of zero, the zero bucket and the first custom bucket have none on the other.
 */
function cutAtZero(bucket: Bucket, { schema, positive, negative }: Histogram): { lower: number; upper: number } {
  const { lower, upper } = bucket
  if (schema === CUSTOM_BOUNDS) return { lower: lower === -Infinity ? 0 : lower, upper }
  if (lower < 0 && upper > 0) {
    if (negative.indexes.length === 0 && positive.indexes.length > 0) return { lower: 0, upper }
    if (positive.indexes.length === 0 && negative.indexes.length > 0) return { lower, upper: 0 }
  }
  return { lower, upper }
}

function between(lower: number, upper: number, share: number, schema: number): number {
  if (schema === CUSTOM_BOUNDS || (lower <= 0 && upper >= 0)) return lower + (upper - lower) * share
  const logLower = Math.log2(Math.abs(lower))
  const logUpper = Math.log2(Math.abs(upper))
  if (lower > 0) return 2 ** (logLower + (logUpper - logLower) * share)
  return -(2 ** (logUpper + (logLower - logUpper) * (1 - share)))
}

/** The estimated variance, with all observations of a bucket at its middle. */
export function histogramVariance(histogram: Histogram): number {
  const mean = histogram.sum / histogram.count
  const squares: Accumulator = { sum: 0, correction: 0 }
  for (const bucket of allBuckets(histogram)) {
    const deviation = middleOf(bucket, histogram.schema) - mean
    add(squares, bucket.count * deviation * deviation)
  }
  return (squares.sum + squares.correction) / histogram.count
}

/** The geometric mean of the bounds; for custom buckets the arithmetic mean, and 0 for the zero bucket. */
export function middleOf({ lower, upper }: Bucket, schema: number): number {
  if (schema === CUSTOM_BOUNDS) return (upper + lower) / 2
  if (lower <= 0 && upper >= 0) return 0
  const middle = Math.sqrt(upper * lower)
  return upper < 0 ? -middle : middle
}
