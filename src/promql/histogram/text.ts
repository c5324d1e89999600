import type { Histogram } from '../../model/histogram.ts'
import { formatGoFloat } from '../../base/go-float.ts'
import { negativeBuckets, positiveBuckets, zeroBucket, type Bucket } from './buckets.ts'

/** A histogram on one line, as Prometheus formats it, for example in the label values of `count_values`. */
export function formatHistogram(histogram: Histogram): string {
  const buckets = [
    ...negativeBuckets(histogram).reverse(),
    ...(histogram.zeroCount === 0 ? [] : [zeroBucket(histogram)]),
    ...positiveBuckets(histogram),
  ]
  const counts = [`count:${formatGoFloat(histogram.count, 'g')}`, `sum:${formatGoFloat(histogram.sum, 'g')}`]
  return `{${[...counts, ...buckets.map(formatBucket)].join(', ')}}`
}

function formatBucket({ lower, upper, isLowerIncluded, isUpperIncluded, count }: Bucket): string {
  const range = `${formatGoFloat(lower, 'g')},${formatGoFloat(upper, 'g')}`
  return `${isLowerIncluded ? '[' : '('}${range}${isUpperIncluded ? ']' : ')'}:${formatGoFloat(count, 'g')}`
}
