import type { HistogramPoint, SummaryPoint } from '../../wire/otlp/metrics.ts'

/** Why a point cannot become series, as the start of a sentence; `undefined` for a valid point. */

/** There is one more bucket than bounds; without either, a histogram has only count and sum. */
export function faultOfHistogram(point: HistogramPoint, bucketsMax: number): string | undefined {
  const { bounds, bucketCounts, isStale } = point
  const { length } = bucketCounts
  if (length > bucketsMax || bounds.length > bucketsMax) {
    return `got ${Math.max(length, bounds.length)} buckets, want at most otlp.buckets-max, ${bucketsMax}`
  }
  const areBoundsRising = bounds.every((bound, i) => Number.isFinite(bound) && (i === 0 || bound > bounds[i - 1]!))
  if (!areBoundsRising) return 'got bounds that do not rise, or are no finite numbers'
  // A stale marker may omit all values.
  if (isStale || length === bounds.length + 1 || (length === 0 && bounds.length === 0)) return undefined
  return `got ${length} buckets for ${bounds.length} bounds, want one more than bounds`
}

export function faultOfSummary({ quantiles }: SummaryPoint, bucketsMax: number): string | undefined {
  if (quantiles.length > bucketsMax)
    return `got ${quantiles.length} quantiles, want at most otlp.buckets-max, ${bucketsMax}`
  const distinct = new Set(quantiles.map(({ quantile }) => quantile))
  return distinct.size === quantiles.length ? undefined : 'got a quantile twice'
}
