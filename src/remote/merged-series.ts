/** Samples of the store with those that only this process has. Equal times count once. */
import type { Histogram } from '../model/histogram.ts'
import type { SeriesColumns } from '../model/series.ts'

/** In the order of `stored`, then those that are only here. */
export function mergedSeries(
  stored: readonly SeriesColumns[],
  here: readonly SeriesColumns[],
): readonly SeriesColumns[] {
  if (here.length === 0) return stored
  const byKey = new Map(here.map((series) => [series.labels.key, series]))
  const merged = stored.map((series) => {
    const newer = byKey.get(series.labels.key)
    if (newer === undefined) return series
    byKey.delete(series.labels.key)
    return joined(series, newer)
  })
  return [...merged, ...byKey.values()]
}

/** Two columns in order of time; of equal times the first one's sample. */
function joined(a: SeriesColumns, b: SeriesColumns): SeriesColumns {
  const length = a.count + b.count
  const timesMs = new Float64Array(length)
  const values = new Float64Array(length)
  const cells: (Histogram | undefined)[] | undefined =
    a.histograms === undefined && b.histograms === undefined ? undefined : []
  let [i, j, count] = [0, 0, 0]
  while (i < a.count || j < b.count) {
    const [left, right] = [i < a.count ? a.timesMs[i]! : Infinity, j < b.count ? b.timesMs[j]! : Infinity]
    const [from, at] = left <= right ? [a, i] : [b, j]
    timesMs[count] = from.timesMs[at]!
    values.set(from.values.subarray(at, at + 1), count)
    cells?.push(from.histograms?.[at])
    count++
    if (left <= right) i++
    if (right <= left) j++
  }
  const columns = {
    ref: a.ref,
    labels: a.labels,
    count,
    timesMs: timesMs.subarray(0, count),
    values: values.subarray(0, count),
  }
  return cells === undefined ? columns : { ...columns, histograms: cells }
}

/** The samples in `[fromMs, toMs]`; `undefined`: there is none. Columns are shared. */
export function cutSeries(series: SeriesColumns, fromMs: number, toMs: number): SeriesColumns | undefined {
  const { timesMs, values, histograms } = series
  let [from, to] = [0, series.count]
  while (from < to && timesMs[from]! < fromMs) from++
  while (to > from && timesMs[to - 1]! > toMs) to--
  if (from === to) return undefined
  if (from === 0 && to === series.count) return series
  const cut = {
    ...{ ref: series.ref, labels: series.labels, count: to - from },
    ...{ timesMs: timesMs.subarray(from, to), values: values.subarray(from, to) },
  }
  return histograms === undefined ? cut : { ...cut, histograms: histograms.slice(from, to) }
}
