/**
 * The series of one metric that is computed from facts, of all times, in columns: a rule reads the newest stretch of each series
 * of a large fleet without an object. The series of one owner (a cluster, an edge) are replaced together. A series has the same
 * row as long as it exists; the rows of removed series stay empty until the table is packed.
 */
import { grown } from '../../base/grown.ts'
import { Labels, METRIC_NAME } from '../../model/labels.ts'
import type { RunColumns } from '../../model/run-columns.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { FactSeries, LabelSource, StretchesIn } from './fact-series.ts'
import { newestIn, pushStretch, pushStretches, SAMPLES_EVERY_MS, type NewestSample, type Stretch } from './stretch.ts'

/** Maximum of label sets that a table stores, of about half a kilobyte each; beyond it all are dropped and made again. */
export const LABEL_SETS_MAX = 65_536
/** Fewer empty rows are not worth packing the others. */
const EMPTY_ROWS_MIN = 1024

/** The rows of a table until it is packed. */
export class FactColumns {
  readonly #name: string
  length = 0
  /** Incremented when the first or the last time of a row changes. */
  revision = 0
  /** No sample is earlier; `Infinity`: the row is empty. */
  firstsMs = new Float64Array(16)
  /** Of the newest stretch: see `Stretch`. An empty row ended at -Infinity. */
  startsMs = new Float64Array(16)
  untilsMs = new Float64Array(16)
  values = new Float64Array(16)
  areAges = new Uint8Array(16)
  /** `undefined`: the newest stretch is the only one. */
  readonly #stretchesIn: (StretchesIn | undefined)[] = []
  readonly #sources: LabelSource[] = []
  readonly #parts: number[] = []
  #labels: (Labels | undefined)[] = []
  #labelSets = 0

  constructor(name: string) {
    this.#name = name
  }

  textOf(row: number): string {
    return this.#sources[row]!.textOf(this.#parts[row]!)
  }

  valueOf(row: number, label: string): string {
    return label === METRIC_NAME ? this.#name : this.#sources[row]!.valueOf(label, this.#parts[row]!)
  }

  /** The same object each time, so that rows are recognised. */
  labelsOf(row: number): Labels {
    const known = this.#labels[row]
    if (known !== undefined) return known
    if (this.#labelSets === LABEL_SETS_MAX) [this.#labels, this.#labelSets] = [[], 0]
    const values = this.#sources[row]!.labelsOf(this.#parts[row]!)
    const labels = Labels.fromPairs([...Object.entries(values), [METRIC_NAME, this.#name]])
    this.#labelSets++
    return (this.#labels[row] = labels)
  }

  add(series: FactSeries): number {
    const row = this.length++
    if (row === this.firstsMs.length) this.#grow()
    this.firstsMs[row] = Infinity
    this.untilsMs[row] = -Infinity
    this.set(row, series)
    return row
  }

  /** Replaces the stretches of a series. */
  set(row: number, { source, part, firstMs, newest, stretchesIn }: FactSeries): void {
    if (this.firstsMs[row] !== firstMs || this.untilsMs[row] !== newest.untilMs) this.revision++
    this.firstsMs[row] = firstMs
    this.startsMs[row] = newest.fromMs
    this.untilsMs[row] = newest.untilMs
    this.values[row] = newest.value
    this.areAges[row] = newest.isAge === true ? 1 : 0
    this.#stretchesIn[row] = stretchesIn
    this.#sources[row] = source
    this.#parts[row] = part
  }

  empty(row: number): void {
    this.revision++
    this.firstsMs[row] = Infinity
    this.startsMs[row] = Infinity
    this.untilsMs[row] = -Infinity
    this.#stretchesIn[row] = undefined
    if (this.#labels[row] === undefined) return
    this.#labels[row] = undefined
    this.#labelSets--
  }

  seriesOf(row: number): FactSeries {
    const stretchesIn = this.#stretchesIn[row]
    return {
      source: this.#sources[row]!,
      part: this.#parts[row]!,
      firstMs: this.firstsMs[row]!,
      newest: this.#newestOf(row),
      ...(stretchesIn === undefined ? {} : { stretchesIn }),
    }
  }

  /** Pushes the samples of a row in the range, of which `toMs` is finite. */
  pushRuns(row: number, range: TimeRange, into: RunColumns): void {
    const startMs = this.startsMs[row]!
    const stretchesIn = this.#stretchesIn[row]
    if (stretchesIn !== undefined && startMs > range.fromMs) pushStretches(stretchesIn(range), range, into)
    else pushStretch(startMs, this.untilsMs[row]!, this.values[row]!, this.areAges[row] === 1, false, range, into)
  }

  /** The newest sample of a row in the range, of which `toMs` is finite. */
  newestIn(row: number, range: TimeRange): NewestSample | undefined {
    const stretchesIn = this.#stretchesIn[row]
    const isNewest = stretchesIn === undefined || this.startsMs[row]! <= range.toMs
    return newestIn(isNewest ? [this.#newestOf(row)] : stretchesIn(range), range)
  }

  /** HOT. The newest samples of rows `ids`, into columns from `at` on; `markStale` is called for stale markers. */
  readNewest(
    ids: Int32Array,
    range: TimeRange,
    timesMs: Float64Array,
    values: Float64Array,
    at: number,
    markStale: (place: number) => void,
  ): void {
    const { fromMs, toMs } = range
    const { startsMs, untilsMs, areAges, values: ofRows } = this
    const lastMinuteMs = Math.floor(toMs / SAMPLES_EVERY_MS) * SAMPLES_EVERY_MS
    for (let i = 0; i < ids.length; i++) {
      const row = ids[i]!
      const startMs = startsMs[row]!
      if (startMs > toMs || untilsMs[row]! <= toMs) {
        const newest = this.newestIn(row, range)
        timesMs[at + i] = newest?.timeMs ?? NaN
        if (newest?.isStale === true) markStale(at + i)
        else values[at + i] = newest?.value ?? NaN
        continue
      }
      const timeMs = startMs > lastMinuteMs ? startMs : lastMinuteMs
      const isInRange = timeMs >= fromMs
      timesMs[at + i] = isInRange ? timeMs : NaN
      const value = ofRows[row]!
      values[at + i] = !isInRange ? NaN : areAges[row] === 1 ? (timeMs - value) / 1000 : value
    }
  }

  #newestOf(row: number): Stretch {
    const [fromMs, untilMs, value] = [this.startsMs[row]!, this.untilsMs[row]!, this.values[row]!]
    return { fromMs, untilMs, value, ...(this.areAges[row] === 1 ? { isAge: true } : {}) }
  }

  #grow(): void {
    const size = this.length * 2
    this.firstsMs = grown(this.firstsMs, size)
    this.startsMs = grown(this.startsMs, size)
    this.untilsMs = grown(this.untilsMs, size)
    this.values = grown(this.values, size)
    this.areAges = grown(this.areAges, size)
  }
}

export class FactTable {
  readonly #name: string
  readonly #rowsOf = new Map<string, readonly number[]>()
  #columns: FactColumns
  #emptyRows = 0

  constructor(name: string) {
    this.#name = name
    this.#columns = new FactColumns(name)
  }

  /** Replaced when the table is packed; a reader of the rows before that keeps their columns. */
  get columns(): FactColumns {
    return this.#columns
  }

  /** Replaces the series of an owner, of which each has other labels. */
  put(owner: string, series: readonly FactSeries[]): void {
    const before = this.#rowsOf.get(owner) ?? NO_ROWS
    if (before.length + series.length === 0) return
    const columns = this.#columns
    /** Most often the same series in the same order; else rows by text. */
    let byText: ReadonlyMap<string, number> | undefined
    const rows = series.map((one, i) => {
      const text = one.source.textOf(one.part)
      const same = before[i]
      let row = same !== undefined && columns.textOf(same) === text ? same : undefined
      if (row === undefined && before.length > 0) {
        byText ??= new Map(before.map((known) => [columns.textOf(known), known]))
        row = byText.get(text)
      }
      if (row === undefined) return columns.add(one)
      columns.set(row, one)
      return row
    })
    if (rows.length === 0) this.#rowsOf.delete(owner)
    else this.#rowsOf.set(owner, rows)
    if (byText === undefined && rows.length >= before.length) return
    const current = new Set(rows)
    for (const row of before) {
      if (current.has(row)) continue
      columns.empty(row)
      this.#emptyRows++
    }
    if (this.#emptyRows >= EMPTY_ROWS_MIN && this.#emptyRows * 2 > columns.length) this.#pack()
  }

  #pack(): void {
    const before = this.#columns
    this.#columns = new FactColumns(this.#name)
    this.#emptyRows = 0
    for (const [owner, rows] of this.#rowsOf) {
      this.#rowsOf.set(
        owner,
        rows.map((row) => this.#columns.add(before.seriesOf(row))),
      )
    }
  }
}

const NO_ROWS: readonly number[] = []
