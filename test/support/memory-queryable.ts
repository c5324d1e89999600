import type { Histogram } from '../../src/model/histogram.ts'
import type { Labels } from '../../src/model/labels.ts'
import type { Matcher } from '../../src/model/matcher.ts'
import type { Portions, Queryable, SelectRequest } from '../../src/model/queryable.ts'
import type { TimeRange } from '../../src/model/time-range.ts'
import type { SeriesColumns } from '../../src/model/series.ts'
import { SampleStore } from '../../src/rules/unit-test/sample-store.ts'

/** A store in memory for tests and benchmarks: the one of unit tests of rules, which counts how it is asked. */
export class MemoryQueryable implements Queryable {
  readonly #store = new SampleStore()
  /** How often `select` was asked: a query must not read a selector twice. */
  selectCount = 0

  append(labels: Labels, timeMs: number, value: number): void {
    this.#store.put(labels, timeMs, value)
  }

  appendHistogram(labels: Labels, timeMs: number, histogram: Histogram): void {
    this.#store.put(labels, timeMs, histogram)
  }

  appendStale(labels: Labels, timeMs: number): void {
    this.#store.put(labels, timeMs, 'stale')
  }

  clear(): void {
    this.#store.clear()
  }

  select(request: SelectRequest): readonly SeriesColumns[] {
    this.selectCount++
    return this.#store.select(request)
  }

  series(matchers: readonly Matcher[], range: TimeRange): Portions<Labels> {
    return this.#store.series(matchers, range)
  }

  labelNames(matchers: readonly Matcher[], range: TimeRange): Portions<string> {
    return this.#store.labelNames(matchers, range)
  }

  labelValues(name: string, matchers: readonly Matcher[], range: TimeRange): Portions<string> {
    return this.#store.labelValues(name, matchers, range)
  }
}
