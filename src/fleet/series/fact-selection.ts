/** What a query selects of the series that are computed from facts, alone or together with stored series. */
import { type LabelRows } from '../../model/label-rows.ts'
import type { Labels } from '../../model/labels.ts'
import type { RunSelection } from '../../model/queryable.ts'
import type { RunColumns } from '../../model/run-columns.ts'
import { bitsOf, setStaleAt } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { FactColumns } from './fact-table.ts'

/** One in so many rows may be of a series that ended, before the other rows are selected again without it. */
const ROWS_OF_ONE_ENDED = 8

/** Whether the labels of a row match. */
export type Accepts = (row: number) => boolean

/** The series of one table with a stretch in a range, and some that ended. */
export class TableRows {
  readonly columns: FactColumns
  /** Rows of the columns, rising. */
  readonly ids: Int32Array
  /** See `LabelRows`. */
  readonly lineage: object
  /** While the columns have this revision, ranges that start after the first two times and end before the last select the same. */
  readonly #revision: number
  readonly #endedMs: number
  readonly #endsMs: number
  readonly #lastStartMs: number
  readonly #startsMs: number

  private constructor(ids: Int32Array, lineage: object, scan: Scan) {
    this.columns = scan.columns
    this.ids = ids
    this.lineage = lineage
    this.#revision = scan.revision
    this.#endedMs = scan.endedMs
    this.#endsMs = scan.endsMs
    this.#lastStartMs = scan.lastStartMs
    this.#startsMs = scan.startsMs
  }

  /** @param before of the same matchers: its order stays as long as possible, because callers cache by row */
  static select(columns: FactColumns, range: TimeRange, accepts: Accepts, before?: TableRows): TableRows {
    if (before?.columns === columns && before.#isOf(range)) return before
    const scan = new Scan(columns, range, accepts)
    const ids = before?.columns === columns ? extended(before.ids, scan.ids) : undefined
    if (ids === undefined) return new TableRows(scan.ids, {}, scan)
    return new TableRows(ids, before!.lineage, scan)
  }

  #isOf({ fromMs, toMs }: TimeRange): boolean {
    if (this.columns.revision !== this.#revision) return false
    return fromMs > this.#endedMs && fromMs <= this.#endsMs && toMs >= this.#lastStartMs && toMs < this.#startsMs
  }
}

/** HOT. The rows of a range, and between which times the answer stays the same. */
class Scan {
  readonly columns: FactColumns
  readonly revision: number
  readonly ids: Int32Array
  /** The last end of a row before the range, and the first one in it; the last start of a row in the range, and the first after it. */
  readonly endedMs: number
  readonly endsMs: number
  readonly lastStartMs: number
  readonly startsMs: number

  constructor(columns: FactColumns, { fromMs, toMs }: TimeRange, accepts: Accepts) {
    const { firstsMs, untilsMs, length } = columns
    const ids = new Int32Array(length)
    let count = 0
    let [endedMs, endsMs, lastStartMs, startsMs] = [-Infinity, Infinity, -Infinity, Infinity]
    for (let row = 0; row < length; row++) {
      const untilMs = untilsMs[row]!
      if (untilMs < fromMs) {
        if (untilMs > endedMs) endedMs = untilMs
        continue
      }
      const firstMs = firstsMs[row]!
      if (firstMs > toMs) {
        if (firstMs < startsMs) startsMs = firstMs
        continue
      }
      if (untilMs < endsMs) endsMs = untilMs
      if (firstMs > lastStartMs) lastStartMs = firstMs
      if (accepts(row)) ids[count++] = row
    }
    this.columns = columns
    this.revision = columns.revision
    this.ids = ids.slice(0, count)
    this.endedMs = endedMs
    this.endsMs = endsMs
    this.lastStartMs = lastStartMs
    this.startsMs = startsMs
  }
}

/** HOT. Rows of before with new ones after them; `undefined`: some come before others, or too many ended. */
function extended(before: Int32Array, now: Int32Array): Int32Array | undefined {
  let next = 0
  for (const row of before) {
    if (next < now.length && now[next]! < row) return undefined
    if (now[next] === row) next++
  }
  const ended = before.length - next
  if (ended * ROWS_OF_ONE_ENDED > now.length) return undefined
  if (next === now.length) return before
  const ids = new Int32Array(before.length + now.length - next)
  ids.set(before)
  ids.set(now.subarray(next), before.length)
  return ids
}

/** Rows of several tables, one after the other. */
export class FactRows implements LabelRows {
  readonly tables: readonly TableRows[]
  readonly length: number
  readonly lineage: object

  /** @param before of the same matchers */
  constructor(tables: readonly TableRows[], before?: FactRows) {
    this.tables = tables
    this.length = tables.reduce((sum, { ids }) => sum + ids.length, 0)
    const [only] = tables
    if (tables.length === 1) this.lineage = only!.lineage
    else this.lineage = before !== undefined && areSame(tables, before.tables) ? before.lineage : {}
  }

  at(row: number): Labels {
    const [{ columns, ids }, place] = this.#placeOf(row)
    return columns.labelsOf(ids[place]!)
  }

  valueAt(row: number, name: string): string {
    const [{ columns, ids }, place] = this.#placeOf(row)
    return columns.valueOf(ids[place]!, name)
  }

  #placeOf(row: number): readonly [table: TableRows, place: number] {
    let place = row
    let table = 0
    while (place >= this.tables[table]!.ids.length) place -= this.tables[table++]!.ids.length
    return [this.tables[table]!, place]
  }
}

function areSame(a: readonly TableRows[], b: readonly TableRows[]): boolean {
  return a.length === b.length && a.every(({ ids }, i) => ids === b[i]!.ids)
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
    let first = 0
    for (const { columns, ids } of this.rows.tables) {
      const end = Math.min(to - first, ids.length)
      for (let place = Math.max(0, from - first); place < end; place++) {
        columns.pushRuns(ids[place]!, this.#range, into)
        into.endRow()
      }
      first += ids.length
    }
  }

  readNewest(timesMs: Float64Array, values: Float64Array): void {
    const bits = bitsOf(values)
    let first = 0
    for (const { columns, ids } of this.rows.tables) {
      columns.readNewest(ids, this.#range, timesMs, values, first, (row) => {
        setStaleAt(bits, row)
      })
      first += ids.length
    }
  }

  /** The labels of series with a sample in the range. */
  *labels(): Iterable<Labels> {
    for (const { columns, ids } of this.rows.tables) {
      for (const row of ids) if (columns.newestIn(row, this.#range) !== undefined) yield columns.labelsOf(row)
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
    this.rows = new JoinedRows(stored.rows, facts.rows)
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

/** Of two lists that change independently: of no lineage but its own. */
class JoinedRows implements LabelRows {
  readonly length: number
  readonly #first: LabelRows
  readonly #second: LabelRows

  constructor(first: LabelRows, second: LabelRows) {
    this.length = first.length + second.length
    this.#first = first
    this.#second = second
  }

  get lineage(): object {
    return this
  }

  at(row: number): Labels {
    const { length } = this.#first
    return row < length ? this.#first.at(row) : this.#second.at(row - length)
  }

  valueAt(row: number, name: string): string {
    const { length } = this.#first
    return row < length ? this.#first.valueAt(row, name) : this.#second.valueAt(row - length, name)
  }
}
