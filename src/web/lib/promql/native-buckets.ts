import type { QueryAnswer } from '../../../contract/prometheus.ts'
import type { PanelSeries } from '../dashboards/series.ts'
import type { Span } from '../dashboards/time-range.ts'
import { parseValue } from '../format-number.ts'

/** Native histograms for drawing: one as bars, many over time as rows of a heat map. Pure. */

export type SampleHistogram = NonNullable<
  Extract<QueryAnswer['data'], { resultType: 'vector' }>['result'][number]['histogram']
>[1]
type Series = Extract<QueryAnswer['data'], { resultType: 'matrix' }>['result'][number]

export interface Bucket {
  readonly lower: number
  readonly upper: number
  readonly count: number
}

/** From the lowest up. */
export function bucketsOf({ buckets = [] }: SampleHistogram): readonly Bucket[] {
  return buckets.map(([, lower, upper, count]) => ({
    lower: parseValue(lower),
    upper: parseValue(upper),
    count: parseValue(count),
  }))
}

/** The mean of the observations; NaN without any. */
export function meanOf({ count, sum }: SampleHistogram): number {
  return parseValue(sum) / parseValue(count)
}

/** The limit of rows of a heat map. */
export const BUCKET_ROWS_MAX = 32

/**
 * The histograms of a series as rows over the steps of the span, the highest bucket first; neighbours are put together
 * when there are more than can be read. A step without a histogram is a gap, a bucket without observations is zero.
 */
export function bucketSeries(
  { metric, histograms = [] }: Pick<Series, 'metric' | 'histograms'>,
  { startSeconds, endSeconds, stepSeconds }: Span,
  write: (bound: number) => string,
): readonly PanelSeries[] {
  const steps = Math.floor((endSeconds - startSeconds) / stepSeconds + 1e-9) + 1
  const placed = histograms.flatMap(([timeSeconds, histogram]) => {
    const step = Math.round((timeSeconds - startSeconds) / stepSeconds)
    return step < 0 || step >= steps ? [] : [{ step, buckets: bucketsOf(histogram) }]
  })
  const ends = new Map(placed.flatMap(({ buckets }) => buckets).map((bucket) => [bucket.upper, bucket]))
  const bounds = [...ends.values()].sort((a, b) => a.upper - b.upper)
  const width = Math.max(1, Math.ceil(bounds.length / BUCKET_ROWS_MAX))
  const rowOf = new Map(bounds.map(({ upper }, i) => [upper, Math.floor(i / width)]))
  const rows = Array.from({ length: Math.ceil(bounds.length / width) }, () =>
    new Array<number | null>(steps).fill(null),
  )
  for (const { step, buckets } of placed) {
    for (const row of rows) row[step] = 0
    for (const { upper, count } of buckets) {
      const row = rows[rowOf.get(upper)!]!
      row[step] = (row[step] ?? 0) + count
    }
  }
  return rows
    .map((values, i): PanelSeries => {
      const [first, last] = [bounds[i * width]!, bounds[Math.min(bounds.length, (i + 1) * width) - 1]!]
      return { queryIndex: 0, name: `${write(first.lower)} – ${write(last.upper)}`, labels: metric, values }
    })
    .reverse()
}
