import type { CubeSums } from './cube.ts'

/**
 * Shares over time. The denominator of a share are the clusters whose value was told that day; how many told it, of how
 * many there were, is the coverage beside it.
 */
export interface ShareSeries {
  readonly value: string
  /** By day: clusters, and their share of those that told; NaN on days when nobody did. */
  readonly clusters: readonly number[]
  readonly share: readonly number[]
}

export interface Shares {
  readonly days: readonly string[]
  /** Clusters known, by day. */
  readonly known: readonly number[]
  /** Of those, the ones that told. */
  readonly telling: readonly number[]
  /** Those with any cluster in the range. */
  readonly series: readonly ShareSeries[]
}

/** @param order of the values, the newest version first for instance */
export function sharesOf(sums: CubeSums, order: (a: string, b: string) => number): Shares {
  const { days, values, clusters, known } = sums
  const untold = values.indexOf('')
  const telling = days.map((_, day) => known[day]! - (untold === -1 ? 0 : clusters[untold]![day]!))
  const series = values.flatMap((value, i): ShareSeries[] => {
    if (value === '') return []
    const counts = [...clusters[i]!]
    if (!counts.some((count) => count > 0)) return []
    const share = counts.map((count, day) => (telling[day] === 0 ? NaN : count / telling[day]!))
    return [{ value, clusters: counts, share }]
  })
  return { days, known: [...known], telling, series: series.sort((a, b) => order(a.value, b.value)) }
}

/** The share of clusters whose version is older than one, by day; those that told nothing are in neither part. */
export function olderThan(shares: Shares, version: string, compare: (a: string, b: string) => number): ShareSeries {
  const older = shares.series.filter(({ value }) => compare(value, version) < 0)
  const clusters = shares.days.map((_, day) => older.reduce((sum, series) => sum + series.clusters[day]!, 0))
  const share = clusters.map((count, day) => (shares.telling[day] === 0 ? NaN : count / shares.telling[day]!))
  return { value: `older than ${version}`, clusters, share }
}
