import { CUSTOM_BOUNDS, type Histogram } from '../../model/histogram.ts'
import type { BucketSums } from './bucket-sums.ts'
import { addPlainly } from './combine.ts'
import { areSameBounds, sharedBounds } from './custom-bounds.ts'
import { beginSum, withCustomBounds, withSchema, withZeroThreshold } from './running-sum.ts'

/**
 * Whether a counter reset happened between two histograms. Without a hint in the newer one, a reset is detected by a
 * decreased count, in total or in a bucket, by a finer schema or by a narrower zero bucket. The sum of observations is
 * ignored: it decreases with negative ones.
 */
export function isReset(current: Histogram, previous: Histogram): boolean {
  if (current.counterReset === 'reset') return true
  if (current.counterReset === 'continued') return false
  if (current.count < previous.count) return true
  if (current.schema === CUSTOM_BOUNDS && previous.schema === CUSTOM_BOUNDS) return isCustomReset(current, previous)
  // Also between custom and exponential buckets.
  if (current.schema > previous.schema || current.schema === CUSTOM_BOUNDS) return true
  if (current.zeroThreshold < previous.zeroThreshold) return true
  const before = withSchema(
    withZeroThreshold(beginSum(previous), current.zeroThreshold, addPlainly),
    current.schema,
    addPlainly,
  )
  // A populated bucket spans the new threshold, so the threshold is not from the same counter.
  if (before.zeroThreshold !== current.zeroThreshold) return true
  if (current.zeroCount < before.zeroCount.sum) return true
  const now = beginSum(current)
  return hasFallen(now.positive, before.positive) || hasFallen(now.negative, before.negative)
}

function isCustomReset(current: Histogram, previous: Histogram): boolean {
  if (areSameBounds(current.customBounds, previous.customBounds)) {
    return hasFallen(beginSum(current).positive, beginSum(previous).positive)
  }
  const bounds = sharedBounds(current.customBounds, previous.customBounds)
  const now = withCustomBounds(beginSum(current), bounds, addPlainly)
  return hasFallen(now.positive, withCustomBounds(beginSum(previous), bounds, addPlainly).positive)
}

/** Whether a bucket has a lower count than before, or is missing. */
function hasFallen(now: BucketSums, before: BucketSums): boolean {
  let at = 0
  return before.indexes.some((index, i) => {
    const count = before.sums[i]!
    while (at < now.indexes.length && now.indexes[at]! < index) at++
    return now.indexes[at] === index ? now.sums[at]! < count : count !== 0
  })
}
