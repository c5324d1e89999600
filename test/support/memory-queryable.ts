import type { Histogram } from '../../src/model/histogram.ts'
import { compareText, type Labels } from '../../src/model/labels.ts'
import { compileMatcher, type Matcher } from '../../src/model/matcher.ts'
import type { Queryable, SelectRequest, TimeRange } from '../../src/model/queryable.ts'
import { bitsOf, setStaleAt } from '../../src/model/sample.ts'
import type { SeriesColumns } from '../../src/model/series.ts'

interface MemorySeries {
  readonly ref: number
  readonly labels: Labels
  readonly timesMs: number[]
  readonly values: number[]
  readonly stale: Set<number>
  /** By time. */
  readonly histograms: Map<number, Histogram>
  columns: SeriesColumns | undefined
}

/** A store in memory for tests and benchmarks. Samples of a series are appended in order of time. */
export class MemoryQueryable implements Queryable {
  readonly #series = new Map<string, MemorySeries>()
  /** How often `select` was asked: a query must not read a selector twice. */
  selectCount = 0

  append(labels: Labels, timeMs: number, value: number): void {
    const series = this.#of(labels)
    const last = series.timesMs.length - 1
    if (last >= 0 && series.timesMs[last]! >= timeMs) {
      const at = series.timesMs.findIndex((known) => known >= timeMs)
      if (series.timesMs[at] === timeMs) series.values[at] = value
      else {
        series.timesMs.splice(at, 0, timeMs)
        series.values.splice(at, 0, value)
      }
    } else {
      series.timesMs.push(timeMs)
      series.values.push(value)
    }
    series.columns = undefined
  }

  appendHistogram(labels: Labels, timeMs: number, histogram: Histogram): void {
    this.append(labels, timeMs, 0)
    this.#of(labels).histograms.set(timeMs, histogram)
  }

  appendStale(labels: Labels, timeMs: number): void {
    this.append(labels, timeMs, NaN)
    this.#of(labels).stale.add(timeMs)
  }

  clear(): void {
    this.#series.clear()
  }

  select({ matchers, fromMs, toMs }: SelectRequest): readonly SeriesColumns[] {
    this.selectCount++
    return this.#matching(matchers, { fromMs, toMs }).map((series) => cut(columnsOf(series), fromMs, toMs))
  }

  series(matchers: readonly Matcher[], range: TimeRange): readonly Labels[] {
    return this.#matching(matchers, range).map((series) => series.labels)
  }

  labelNames(matchers: readonly Matcher[], range: TimeRange): readonly string[] {
    const names = this.series(matchers, range).flatMap((labels) => [...labels.pairs()].map(([name]) => name))
    return [...new Set(names)].sort(compareText)
  }

  labelValues(name: string, matchers: readonly Matcher[], range: TimeRange): readonly string[] {
    const values = this.series(matchers, range).map((labels) => labels.get(name))
    return [...new Set(values)].filter((value) => value !== '').sort(compareText)
  }

  #of(labels: Labels): MemorySeries {
    let series = this.#series.get(labels.key)
    if (series === undefined) {
      series = {
        ref: this.#series.size + 1,
        labels,
        timesMs: [],
        values: [],
        stale: new Set(),
        histograms: new Map(),
        columns: undefined,
      }
      this.#series.set(labels.key, series)
    }
    return series
  }

  #matching(matchers: readonly Matcher[], { fromMs, toMs }: TimeRange): MemorySeries[] {
    const tests = matchers.map((matcher) => [matcher.name, compileMatcher(matcher)] as const)
    return [...this.#series.values()].filter(
      ({ labels, timesMs }) =>
        tests.every(([name, matches]) => matches(labels.get(name))) &&
        timesMs.some((timeMs) => timeMs >= fromMs && timeMs <= toMs),
    )
  }
}

function columnsOf(series: MemorySeries): SeriesColumns {
  if (series.columns === undefined) {
    const values = Float64Array.from(series.values)
    const bits = bitsOf(values)
    series.timesMs.forEach((timeMs, i) => {
      if (series.stale.has(timeMs)) setStaleAt(bits, i)
    })
    const timesMs = Float64Array.from(series.timesMs)
    const histograms = series.timesMs.map((timeMs) => series.histograms.get(timeMs))
    series.columns = {
      ref: series.ref,
      labels: series.labels,
      count: timesMs.length,
      timesMs,
      values,
      ...(series.histograms.size > 0 ? { histograms } : {}),
    }
  }
  return series.columns
}

/** Only the samples of the range, as views. */
function cut(columns: SeriesColumns, fromMs: number, toMs: number): SeriesColumns {
  let from = 0
  let to = columns.count
  while (from < to && columns.timesMs[from]! < fromMs) from++
  while (to > from && columns.timesMs[to - 1]! > toMs) to--
  const range = {
    ...columns,
    count: to - from,
    timesMs: columns.timesMs.subarray(from, to),
    values: columns.values.subarray(from, to),
  }
  return columns.histograms === undefined ? range : { ...range, histograms: columns.histograms.slice(from, to) }
}
