import type { CubeSums } from './cube.ts'

/**
 * Shares over time. The denominator is the number of clusters that reported a value on the day; `known` has the number of
 * all clusters.
 */
export interface ShareSeries {
  readonly value: string
  /** By day: clusters, and their share of the reporting clusters; NaN when there are none. */
  readonly clusters: readonly number[]
  readonly share: readonly number[]
}

export interface Shares {
  readonly days: readonly string[]
  /** Known clusters, by day. */
  readonly known: readonly number[]
  /** Clusters that reported a value, by day. */
  readonly telling: readonly number[]
  /** Values of any cluster in the range. */
  readonly series: readonly ShareSeries[]
}

/** @param order of the values, for example the newest version first */
export function sharesOf(sums: CubeSums, order: (a: string, b: string) => number): Shares {
  const { days, values, clusters, known } = sums
  const unreported = values.indexOf('')
  const telling = days.map((_, day) => known[day]! - (unreported === -1 ? 0 : clusters[unreported]![day]!))
  const series = values.flatMap((value, i): ShareSeries[] => {
    if (value === '') return []
    const counts = [...clusters[i]!]
    if (!counts.some((count) => count > 0)) return []
    const share = counts.map((count, day) => (telling[day] === 0 ? NaN : count / telling[day]!))
    return [{ value, clusters: counts, share }]
  })
  return { days, known: [...known], telling, series: series.sort((a, b) => order(a.value, b.value)) }
}

/** The share of reporting clusters with a version older than `version`, by day. */
export function olderThan(shares: Shares, version: string, compare: (a: string, b: string) => number): ShareSeries {
  const older = shares.series.filter(({ value }) => compare(value, version) < 0)
  const clusters = shares.days.map((_, day) => older.reduce((sum, series) => sum + series.clusters[day]!, 0))
  const share = clusters.map((count, day) => (shares.telling[day] === 0 ? NaN : count / shares.telling[day]!))
  return { value: `older than ${version}`, clusters, share }
}
