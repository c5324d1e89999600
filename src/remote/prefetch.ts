/**
 * What a query reads, found by the evaluator itself: it runs over a store that has no series and notes what it is asked. So no
 * second place knows of offsets, `@`, subqueries and lookbacks. What depends on what was read first (`info`) is missed when the
 * query runs over the fetched series; then it is fetched, too, and the query runs again.
 */
import type { Labels } from '../model/labels.ts'
import { keyOfMatchers, type Matcher } from '../model/matcher.ts'
import type { Portions, Queryable, SelectRequest } from '../model/queryable.ts'
import type { SeriesColumns } from '../model/series.ts'
import type { TimeRange } from '../model/time-range.ts'
import { cutSeries } from './merged-series.ts'

/** One selection from the store. */
export interface Selection extends TimeRange {
  readonly matchers: readonly Matcher[]
}

/** Thrown by the store of fetched series; not a failure. */
export class NotFetched extends Error {
  override readonly name = 'NotFetched'
}

/** Selections that overlap or nearly do are read together. */
const GAP_MS = 60_000

/** A store that has nothing, and the selections that it was asked for. */
export class SelectionNotes implements Queryable {
  readonly #noted: Selection[] = []

  select({ matchers, fromMs, toMs }: SelectRequest): readonly SeriesColumns[] {
    this.#noted.push({ matchers, fromMs, toMs })
    return []
  }

  series(): Portions<Labels> {
    return []
  }

  labelNames(): Portions<string> {
    return []
  }

  labelValues(): Portions<string> {
    return []
  }

  /** As few as possible. */
  selections(): readonly Selection[] {
    const sorted = this.#noted
      .map((one) => ({ ...one, key: keyOfMatchers(one.matchers) }))
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.fromMs - b.fromMs))
    const joined: (Selection & { readonly key: string })[] = []
    for (const one of sorted) {
      const last = joined.at(-1)
      if (last?.key === one.key && one.fromMs <= last.toMs + GAP_MS) {
        joined[joined.length - 1] = { ...last, toMs: Math.max(last.toMs, one.toMs) }
      } else joined.push(one)
    }
    return joined.map(({ matchers, fromMs, toMs }) => ({ matchers, fromMs, toMs }))
  }
}

/** The fetched series of one query. A selection that was not fetched throws `NotFetched` and is noted. */
export class FetchedStore implements Queryable {
  readonly #fetched = new Map<string, (TimeRange & { readonly series: readonly SeriesColumns[] })[]>()
  #missing = new SelectionNotes()

  put({ matchers, fromMs, toMs }: Selection, series: readonly SeriesColumns[]): void {
    const key = keyOfMatchers(matchers)
    this.#fetched.set(key, [...(this.#fetched.get(key) ?? []), { fromMs, toMs, series }])
  }

  /** What was not fetched, once. */
  takeMissing(): readonly Selection[] {
    const missing = this.#missing.selections()
    this.#missing = new SelectionNotes()
    return missing
  }

  select(request: SelectRequest): readonly SeriesColumns[] {
    const { matchers, fromMs, toMs } = request
    const fetched = this.#fetched.get(keyOfMatchers(matchers))?.find((one) => one.fromMs <= fromMs && one.toMs >= toMs)
    if (fetched === undefined) {
      this.#missing.select(request)
      throw new NotFetched('a selection was not fetched')
    }
    return fetched.series.flatMap((series) => cutSeries(series, fromMs, toMs) ?? [])
  }

  series(): Portions<Labels> {
    return []
  }

  labelNames(): Portions<string> {
    return []
  }

  labelValues(): Portions<string> {
    return []
  }
}
