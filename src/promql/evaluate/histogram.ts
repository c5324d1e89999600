import type { RaisedBuckets } from '../annotations.ts'

/**
 * Quantiles and fractions of classic histograms: cumulative buckets, each the count of observations up to its bound.
 * Observations are assumed to be evenly distributed inside a bucket.
 */

/** Buckets of one histogram at one step, `[0, count)` of the columns; reused from step to step. */
export interface Buckets {
  count: number
  readonly bounds: Float64Array
  readonly counts: Float64Array
}

/** Counts with a smaller relative difference are equal except for rounding. */
const ROUNDING_SLACK = 1e-12
const SMALLEST_NORMAL = 2 ** -1022

/**
 * Sorts buckets, merges equal bounds and makes the counts monotonic. Returns the counts that decreased by more than
 * rounding explains.
 */
export function tidy(buckets: Buckets): RaisedBuckets | undefined {
  sortByBound(buckets)
  const { bounds, counts } = buckets
  let last = 0
  for (let i = 1; i < buckets.count; i++) {
    if (bounds[i] === bounds[last]) counts[last] = counts[last]! + counts[i]!
    else {
      last++
      bounds[last] = bounds[i]!
      counts[last] = counts[i]!
    }
  }
  buckets.count = Math.min(buckets.count, last + 1)
  let raised: RaisedBuckets | undefined
  for (let i = 1; i < buckets.count; i++) {
    const before = counts[i - 1]!
    const count = counts[i]!
    if (areClose(before, count)) counts[i] = before
    else if (count < before) {
      counts[i] = before
      raised = {
        fromBound: raised?.fromBound ?? bounds[i]!,
        toBound: bounds[i]!,
        most: Math.max(raised?.most ?? 0, before - count),
      }
    }
  }
  return raised
}

/** Insertion sort: buckets are nearly sorted, and few. */
function sortByBound({ count, bounds, counts }: Buckets): void {
  for (let i = 1; i < count; i++) {
    const bound = bounds[i]!
    const value = counts[i]!
    let at = i
    for (; at > 0 && bounds[at - 1]! > bound; at--) {
      bounds[at] = bounds[at - 1]!
      counts[at] = counts[at - 1]!
    }
    bounds[at] = bound
    counts[at] = value
  }
}

function areClose(a: number, b: number): boolean {
  if (a === b) return true
  const difference = Math.abs(a - b)
  const size = Math.abs(a) + Math.abs(b)
  if (a === 0 || b === 0 || size < SMALLEST_NORMAL) return difference < ROUNDING_SLACK * SMALLEST_NORMAL
  return difference / Math.min(size, Number.MAX_VALUE) < ROUNDING_SLACK
}

/** Whether there is a bucket for +Inf: without it neither quantile nor fraction is defined. */
export function hasInfinity({ count, bounds }: Buckets): boolean {
  return count > 0 && bounds[count - 1] === Infinity
}

/** The φ-quantile of normalized buckets. In the last bucket it is that bucket's lower bound. */
export function bucketQuantile(phi: number, buckets: Buckets): number {
  if (Number.isNaN(phi)) return NaN
  if (phi < 0) return -Infinity
  if (phi > 1) return Infinity
  const { count, bounds, counts } = buckets
  if (!hasInfinity(buckets) || count < 2) return NaN
  const observations = counts[count - 1]!
  if (observations === 0 || Number.isNaN(observations)) return NaN
  const rank = phi * observations
  let i = 0
  while (i < count - 1 && !(counts[i]! >= rank)) i++
  if (i === count - 1) return bounds[count - 2]!
  if (i === 0 && bounds[0]! <= 0) return bounds[0]!
  const start = i === 0 ? 0 : bounds[i - 1]!
  const below = i === 0 ? 0 : counts[i - 1]!
  return start + (bounds[i]! - start) * ((rank - below) / (counts[i]! - below))
}

/** The share of observations between two values, of normalized buckets. Buckets of infinite width are not split. */
export function bucketFraction(lower: number, upper: number, buckets: Buckets): number {
  if (!hasInfinity(buckets)) return NaN
  const observations = buckets.counts[buckets.count - 1]!
  if (observations === 0 || Number.isNaN(observations) || Number.isNaN(lower) || Number.isNaN(upper)) return NaN
  if (lower >= upper) return 0
  return (rankOf(upper, buckets) - rankOf(lower, buckets)) / observations
}

/** The estimated number of observations below a value. */
function rankOf(value: number, { count, bounds, counts }: Buckets): number {
  let below = 0
  for (let i = 0; i < count; i++) {
    const start = i > 0 ? bounds[i - 1]! : bounds[0]! > 0 ? 0 : -Infinity
    const end = bounds[i]!
    if (start >= value) return below
    if (value < end) {
      if (start === -Infinity) return counts[i]!
      return below + ((counts[i]! - below) * (value - start)) / (end - start)
    }
    below = counts[i]!
  }
  return Math.min(below, counts[count - 1]!)
}
