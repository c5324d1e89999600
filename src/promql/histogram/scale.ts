import { NO_BUCKETS, type BucketCounts, type Histogram } from '../../model/histogram.ts'
import { nonEmpty } from './bucket-sums.ts'

/** Multiplies all counts and the sum. A negative factor makes the result a gauge. */
export function multiplyHistogram(histogram: Histogram, factor: number): Histogram {
  return scaled(histogram, (value) => value * factor, factor < 0)
}

/** Divides all counts and the sum. Division by zero leaves no bucket. */
export function divideHistogram(histogram: Histogram, divisor: number): Histogram {
  const divided = scaled(histogram, (value) => value / divisor, divisor < 0)
  return divisor === 0 ? { ...divided, positive: NO_BUCKETS, negative: NO_BUCKETS } : divided
}

function scaled(histogram: Histogram, change: (value: number) => number, isGauge: boolean): Histogram {
  const side = ({ indexes, counts }: BucketCounts): BucketCounts => nonEmpty(indexes, counts.map(change))
  return {
    ...histogram,
    counterReset: isGauge ? 'gauge' : histogram.counterReset,
    count: change(histogram.count),
    sum: change(histogram.sum),
    zeroCount: change(histogram.zeroCount),
    positive: side(histogram.positive),
    negative: side(histogram.negative),
  }
}
