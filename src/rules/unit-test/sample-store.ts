/**
 * An in-memory store for unit tests of rules: series with floats, native histograms and stale markers. Reads return what the
 * real store returns; nothing is deleted.
 */
import type { Histogram } from '../../model/histogram.ts'
import { METRIC_NAME, type Labels } from '../../model/labels.ts'
import { compileMatcher, type Matcher } from '../../model/matcher.ts'
import type { Portions, Queryable, SelectRequest } from '../../model/queryable.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { bitsOf, isStaleAt, setStaleAt } from '../../model/sample.ts'
import type { SeriesColumns } from '../../model/series.ts'

/** A sample's value. */
export type StoredValue = number | 'stale' | Histogram

export class SampleStore implements Queryable {
  readonly #byKey = new Map<string, StoredSeries>()
  readonly #byName = new Map<string, StoredSeries[]>()

  /** Adds or replaces the sample of a time. Fast in order of time. */
  put(labels: Labels, timeMs: number, value: StoredValue): void {
    this.#seriesOf(labels).put(timeMs, value)
  }

  /** Like `put`, but returns false and changes nothing when there is another sample of that time, or a newer one. */
  append(labels: Labels, timeMs: number, value: StoredValue): boolean {
    const series = this.#seriesOf(labels)
    const newestMs = series.newestMs
    if (newestMs === undefined || newestMs < timeMs) {
      series.put(timeMs, value)
      return true
    }
    return newestMs === timeMs && Object.is(series.newest, value)
  }

  /** The newest sample of a series when it is a histogram; counter reset hints depend on it. */
  newestHistogram(labels: Labels): Histogram | undefined {
    const newest = this.#byKey.get(labels.key)?.newest
    return typeof newest === 'object' ? newest : undefined
  }

  clear(): void {
    this.#byKey.clear()
    this.#byName.clear()
  }

  select({ matchers, fromMs, toMs }: SelectRequest): readonly SeriesColumns[] {
    return this.#matching(matchers).flatMap((series) => series.columns(fromMs, toMs) ?? [])
  }

  series(matchers: readonly Matcher[], range: TimeRange): Portions<Labels> {
    return [this.#labelsIn(matchers, range)]
  }

  labelNames(matchers: readonly Matcher[], range: TimeRange): Portions<string> {
    return this.#labelsIn(matchers, range).map((labels) => [...labels.pairs()].map(([name]) => name))
  }

  labelValues(name: string, matchers: readonly Matcher[], range: TimeRange): Portions<string> {
    const values = this.#labelsIn(matchers, range).map((labels) => labels.get(name))
    return [values.filter((value) => value !== '')]
  }

  #labelsIn(matchers: readonly Matcher[], { fromMs, toMs }: TimeRange): readonly Labels[] {
    return this.#matching(matchers)
      .filter((series) => series.columns(fromMs, toMs) !== undefined)
      .map(({ labels }) => labels)
  }

  #seriesOf(labels: Labels): StoredSeries {
    let series = this.#byKey.get(labels.key)
    if (series === undefined) {
      series = new StoredSeries(this.#byKey.size + 1, labels)
      this.#byKey.set(labels.key, series)
      const alike = this.#byName.get(labels.metricName)
      if (alike === undefined) this.#byName.set(labels.metricName, [series])
      else alike.push(series)
    }
    return series
  }

  #matching(matchers: readonly Matcher[]): readonly StoredSeries[] {
    const named = matchers.find(({ name, op }) => name === METRIC_NAME && op === '=')
    const candidates = named === undefined ? [...this.#byKey.values()] : (this.#byName.get(named.value) ?? [])
    const tests = matchers
      .filter((matcher) => matcher !== named)
      .map((matcher) => [matcher.name, compileMatcher(matcher)] as const)
    return candidates.filter(({ labels }) => tests.every(([name, matches]) => matches(labels.get(name))))
  }
}

/** The columns of one series, with room for more. */
class StoredSeries {
  readonly ref: number
  readonly labels: Labels
  #count = 0
  #timesMs = new Float64Array(8)
  #values = new Float64Array(8)
  #histograms: (Histogram | undefined)[] | undefined

  constructor(ref: number, labels: Labels) {
    this.ref = ref
    this.labels = labels
  }

  get newestMs(): number | undefined {
    return this.#count === 0 ? undefined : this.#timesMs[this.#count - 1]
  }

  get newest(): StoredValue | undefined {
    const last = this.#count - 1
    if (last < 0) return undefined
    if (isStaleAt(bitsOf(this.#values), last)) return 'stale'
    return this.#histograms?.[last] ?? this.#values[last]
  }

  put(timeMs: number, value: StoredValue): void {
    const at = this.#firstAt(timeMs)
    if (at === this.#count || this.#timesMs[at] !== timeMs) this.#makeRoom(at)
    this.#timesMs[at] = timeMs
    if (value === 'stale') setStaleAt(bitsOf(this.#values), at)
    else this.#values[at] = typeof value === 'object' ? 0 : value
    if (typeof value === 'object') this.#histograms ??= Array.from({ length: this.#count }, () => undefined)
    if (this.#histograms !== undefined) this.#histograms[at] = typeof value === 'object' ? value : undefined
  }

  /** Both ends inclusive; `undefined` when there is nothing. The columns are views. */
  columns(fromMs: number, toMs: number): SeriesColumns | undefined {
    const from = this.#firstAt(fromMs)
    const to = this.#firstAt(toMs + 1)
    if (to <= from) return undefined
    return {
      ref: this.ref,
      labels: this.labels,
      count: to - from,
      timesMs: this.#timesMs.subarray(from, to),
      values: this.#values.subarray(from, to),
      ...(this.#histograms === undefined ? {} : { histograms: this.#histograms.slice(from, to) }),
    }
  }

  #makeRoom(at: number): void {
    if (this.#count === this.#timesMs.length) {
      const [times, values] = [this.#timesMs, this.#values]
      this.#timesMs = new Float64Array(this.#count * 2)
      this.#values = new Float64Array(this.#count * 2)
      // Copies bytes, so stale markers keep their NaN bits.
      this.#timesMs.set(times)
      this.#values.set(values)
    }
    this.#timesMs.copyWithin(at + 1, at, this.#count)
    this.#values.copyWithin(at + 1, at, this.#count)
    this.#histograms?.splice(at, 0, undefined)
    this.#count++
  }

  /** Index of the first sample that is not before `timeMs`. */
  #firstAt(timeMs: number): number {
    let low = 0
    let high = this.#count
    if (high > 0 && this.#timesMs[high - 1]! < timeMs) return high
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#timesMs[middle]! < timeMs) low = middle + 1
      else high = middle
    }
    return low
  }
}
