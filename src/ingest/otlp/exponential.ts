import { NO_BUCKETS, SCHEMA_MAX, SCHEMA_MIN, type BucketCounts, type Histogram } from '../../model/histogram.ts'
import { faultOfCounts, mergedDown } from '../../wire/histogram-field.ts'
import type { ExponentialBuckets, ExponentialPoint } from '../../wire/otlp/metrics.ts'

/**
 * Converts an exponential histogram to a native one. OTLP numbers buckets by the lower bound (bucket i covers (base^i,
 * base^(i+1)]), Prometheus by the upper one, so indexes are one higher. Scales finer than native histograms allow are
 * merged down, coarser ones are refused. Minimum and maximum are dropped.
 */

/** Prometheus' default for a zero threshold that was not sent. */
const ZERO_THRESHOLD_DEFAULT = 1e-128
/** From this difference on, each side merges into two buckets. */
const MERGING_MAX = 52

/** Returns a text, as the start of a sentence, for a point that cannot be converted. */
export function histogramOfPoint(point: ExponentialPoint, bucketsMax: number): Histogram | string {
  const { scale, count, zeroCount, zeroThreshold } = point
  if (scale < SCHEMA_MIN) return `got scale ${scale}, want ${SCHEMA_MIN} or more`
  const most = Math.max(point.positive.counts.length, point.negative.counts.length)
  if (most > bucketsMax) return `got ${most} buckets, want at most otlp.buckets-max, ${bucketsMax}`
  if (!(zeroThreshold >= 0)) return `got a zero threshold of ${zeroThreshold}, want 0 or more`
  const merging = Math.min(Math.max(0, scale - SCHEMA_MAX), MERGING_MAX)
  const positive = bucketsOf(point.positive)
  const negative = bucketsOf(point.negative)
  if (positive === undefined || negative === undefined) return 'got buckets beyond 32 bits, want smaller offsets'
  // Of what may be below zero OTLP sends no sum: it is unknown then, and not 0.
  const sum = point.sum ?? NaN
  const fault = faultOfCounts({ isFloat: false, count, sum, zeroCount, positive, negative })
  if (fault !== undefined) return fault
  return {
    schema: Math.min(scale, SCHEMA_MAX),
    counterReset: 'unknown',
    count,
    sum,
    zeroThreshold: zeroThreshold === 0 ? ZERO_THRESHOLD_DEFAULT : zeroThreshold,
    zeroCount,
    positive: mergedDown(positive, merging),
    negative: mergedDown(negative, merging),
    customBounds: new Float64Array(0),
  }
}

function bucketsOf({ offset, counts }: ExponentialBuckets): BucketCounts | undefined {
  const indexes: number[] = []
  const kept: number[] = []
  counts.forEach((count, i) => {
    if (count === 0) return
    indexes.push(offset + i + 1)
    kept.push(count)
  })
  if (indexes.length === 0) return NO_BUCKETS
  const last = indexes.at(-1)!
  if ((last | 0) !== last || (indexes[0]! | 0) !== indexes[0]) return undefined
  return { indexes: Int32Array.from(indexes), counts: Float64Array.from(kept) }
}
