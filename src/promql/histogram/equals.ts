import type { BucketCounts, Histogram } from '../../model/histogram.ts'
import { areSameBounds } from './custom-bounds.ts'

/** Whether all numbers are equal, with NaN equal to NaN. Counter reset hints are ignored. */
export function areEqual(a: Histogram, b: Histogram): boolean {
  return (
    a.schema === b.schema &&
    Object.is(a.count, b.count) &&
    Object.is(a.sum, b.sum) &&
    a.zeroThreshold === b.zeroThreshold &&
    Object.is(a.zeroCount, b.zeroCount) &&
    areSameBounds(a.customBounds, b.customBounds) &&
    areSameCounts(a.positive, b.positive) &&
    areSameCounts(a.negative, b.negative)
  )
}

function areSameCounts(a: BucketCounts, b: BucketCounts): boolean {
  return (
    a.indexes.length === b.indexes.length &&
    a.indexes.every((index, i) => index === b.indexes[i]) &&
    a.counts.every((count, i) => Object.is(count, b.counts[i]))
  )
}
