import { CUSTOM_BOUNDS, type Histogram } from '../../model/histogram.ts'
import { add, type Accumulator } from '../evaluate/kahan.ts'
import { allBuckets, type Bucket } from './buckets.ts'

/** The estimated variance: all observations of a bucket are taken to be its middle. */
export function histogramVariance(histogram: Histogram): number {
  const mean = histogram.sum / histogram.count
  const squares: Accumulator = { sum: 0, correction: 0 }
  for (const bucket of allBuckets(histogram)) {
    const deviation = middleOf(bucket, histogram.schema) - mean
    add(squares, bucket.count * deviation * deviation)
  }
  return (squares.sum + squares.correction) / histogram.count
}

/** The geometric mean of the bounds; of custom ones the arithmetic one, and 0 of the zero bucket. */
function middleOf({ lower, upper }: Bucket, schema: number): number {
  if (schema === CUSTOM_BOUNDS) return (upper + lower) / 2
  if (lower <= 0 && upper >= 0) return 0
  const middle = Math.sqrt(upper * lower)
  return upper < 0 ? -middle : middle
}
