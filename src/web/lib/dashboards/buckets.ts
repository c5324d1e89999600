import { parseValue } from '../format-number.ts'
import type { Column } from './calculate.ts'
import type { PanelSeries } from './series.ts'

export interface BucketRow {
  readonly key: string
  readonly name: string
  /** The upper end of the bucket; `undefined` for a series that is none. */
  readonly limit: number | undefined
  readonly values: Column
}

/**
 * Rows of a heat map, the highest bucket first. The buckets of a classic histogram count all below their end (`le`), so
 * each loses what the one below it counts; series without `le` are rows as they are. Pure.
 */
export function bucketRows(series: readonly PanelSeries[]): readonly BucketRow[] {
  const buckets = series.flatMap((one) => {
    const le = one.labels['le']
    return le === undefined ? [] : [{ ...one, limit: parseValue(le) }]
  })
  if (buckets.length === 0 || buckets.length < series.length) {
    return series.map(({ queryIndex, name, values }) => ({
      key: `${queryIndex} ${name}`,
      name,
      limit: undefined,
      values,
    }))
  }
  buckets.sort((a, b) => a.limit - b.limit)
  return buckets
    .map(({ queryIndex, name, limit, values }, i): BucketRow => {
      const below = buckets[i - 1]?.values
      return {
        key: `${queryIndex} ${name}`,
        name,
        limit,
        values: values.map((value, step) => (value === null ? null : Math.max(0, value - (below?.[step] ?? 0)))),
      }
    })
    .reverse()
}
