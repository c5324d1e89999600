import type { Histogram } from '../../model/histogram.ts'
import { formatShort } from '../number-format.ts'
import { negativeBuckets, positiveBuckets, zeroBucket, type Bucket } from './buckets.ts'

/** A histogram on one line, as Prometheus formats it, for example in the label values of `count_values`. */
export function formatHistogram(histogram: Histogram): string {
  const buckets = [
    ...negativeBuckets(histogram).reverse(),
    ...(histogram.zeroCount === 0 ? [] : [zeroBucket(histogram)]),
    ...positiveBuckets(histogram),
  ]
  const counts = [`count:${formatShort(histogram.count)}`, `sum:${formatShort(histogram.sum)}`]
  return `{${[...counts, ...buckets.map(formatBucket)].join(', ')}}`
}

function formatBucket({ lower, upper, isLowerIncluded, isUpperIncluded, count }: Bucket): string {
  const range = `${formatShort(lower)},${formatShort(upper)}`
  return `${isLowerIncluded ? '[' : '('}${range}${isUpperIncluded ? ']' : ')'}:${formatShort(count)}`
}
