import type { Histogram } from '../../model/histogram.ts'
import { allBuckets, type Bucket } from '../../promql/histogram/buckets.ts'
import { formatValue } from './format-value.ts'

/**
 * A native histogram as Prometheus' API writes it: count, sum, and the buckets that have observations, from the lowest
 * up, each with a number that says which of its ends belong to it. Values are texts, like all samples'.
 */
export function renderHistogram(histogram: Histogram): string {
  const buckets = allBuckets(histogram).filter(({ count }) => count !== 0)
  const shown = buckets.length === 0 ? '' : `,"buckets":[${buckets.map(renderBucket).join(',')}]`
  return `{"count":"${formatValue(histogram.count)}","sum":"${formatValue(histogram.sum)}"${shown}}`
}

function renderBucket({ lower, upper, isLowerIncluded, isUpperIncluded, count }: Bucket): string {
  const boundaries = isLowerIncluded ? (isUpperIncluded ? 3 : 1) : isUpperIncluded ? 0 : 2
  return `[${boundaries},"${formatValue(lower)}","${formatValue(upper)}","${formatValue(count)}"]`
}
