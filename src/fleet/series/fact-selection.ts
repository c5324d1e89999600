/** What a query selects of the series that are computed from facts, alone or together with stored series. */
import { LabelList, listOf, type LabelRows } from '../../model/label-rows.ts'
import type { Labels } from '../../model/labels.ts'
import type { RunSelection } from '../../model/queryable.ts'
import type { RunColumns } from '../../model/run-columns.ts'
import { bitsOf, setStaleAt } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { FactSeries } from './fact-series.ts'
import { newestIn, pushStretches } from './stretch.ts'

export class FactRows implements LabelRows {
  readonly series: readonly FactSeries[]
  readonly lineage: object

  /** @param before rows of an equal selection: of equal rows callers may use what they cached */
  constructor(series: readonly FactSeries[], before?: FactRows) {
    this.series = series
    const isSame =
      before?.length === series.length && before.series.every(({ labels }, row) => labels === series[row]!.labels)
    this.lineage = isSame ? before.lineage : {}
  }

  get length(): number {
    return this.series.length
  }

  at(row: number): Labels {
    return this.series[row]!.labels.labels
  }

  valueAt(row: number, name: string): string {
    return this.series[row]!.labels.get(name)
  }
}

export class FactSelection implements RunSelection {
  readonly rows: FactRows
  readonly #range: TimeRange
  readonly #runsMax: number

  /** @param range `toMs` is finite */
  constructor(rows: FactRows, range: TimeRange, runsMax: number) {
    this.rows = rows
    this.#range = range
    this.#runsMax = runsMax
  }

  readRuns(from: number, to: number, into: RunColumns): void {
    into.clear(this.#runsMax)
    this.addRuns(from, to, into)
  }

  /** Adds to the rows that are there. */
  addRuns(from: number, to: number, into: RunColumns): void {
    for (let row = from; row < to; row++) {
      pushStretches(this.rows.series[row]!.stretchesIn(this.#range), this.#range, into)
      into.endRow()
    }
  }

  readNewest(timesMs: Float64Array, values: Float64Array): void {
    const bits = bitsOf(values)
    this.rows.series.forEach((series, row) => {
      const newest = newestIn(series.stretchesIn(this.#range), this.#range)
      timesMs[row] = newest?.timeMs ?? NaN
      if (newest?.isStale === true) setStaleAt(bits, row)
      else values[row] = newest?.value ?? NaN
    })
  }

  /** The labels of series with a sample in the range. */
  *labels(): Iterable<Labels> {
    for (const { labels, stretchesIn } of this.rows.series) {
      if (newestIn(stretchesIn(this.#range), this.#range) !== undefined) yield labels.labels
    }
  }
}

/** Stored series, then series of facts. */
export class JoinedSelection implements RunSelection {
  readonly rows: LabelRows
  readonly resolutionMs?: number
  readonly hasHistograms: boolean
  readonly #stored: RunSelection
  readonly #facts: FactSelection

  constructor(stored: RunSelection, facts: FactSelection) {
    this.#stored = stored
    this.#facts = facts
    this.rows = new LabelList([...listOf(stored.rows), ...listOf(facts.rows)])
    this.hasHistograms = stored.hasHistograms === true
    if (stored.resolutionMs !== undefined) this.resolutionMs = stored.resolutionMs
  }

  readRuns(from: number, to: number, into: RunColumns): void {
    const stored = this.#stored.rows.length
    this.#stored.readRuns(Math.min(from, stored), Math.min(to, stored), into)
    this.#facts.addRuns(Math.max(0, from - stored), Math.max(0, to - stored), into)
  }

  readNewest(timesMs: Float64Array, values: Float64Array): void {
    const stored = this.#stored.rows.length
    this.#stored.readNewest(timesMs.subarray(0, stored), values.subarray(0, stored))
    this.#facts.readNewest(timesMs.subarray(stored), values.subarray(stored))
  }
}
